#pragma once

#include <QComboBox>

namespace lockstep::ui {

class Theme;

/// A drop-down in the program's look, as wide as its longest entry needs. With less room "ResNet-50 / ImageNet-1K" is
/// shown as "ResNet-50".
class ChoiceBox : public QComboBox {
    Q_OBJECT
public:
    explicit ChoiceBox(Theme& theme, QWidget* parent = nullptr);

    /// Shows the entry with this data without announcing it.
    void showData(const QVariant& data);
    /// With less room than its short entries need, too, it is content: where it is not the point.
    void setShrinkable();
    /// Disables one entry and says why; an empty reason enables it.
    void setEntryDisabled(int index, const QString& reason);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    [[nodiscard]] static QString shortText(const QString& text);

    Theme& m_theme;
    bool m_shrinkable = false;
};

}  // namespace lockstep::ui
