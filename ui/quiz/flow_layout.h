#pragma once

#include <QLayout>
#include <vector>

namespace lockstep::ui {

/// Lays its widgets in lines from the start, as text runs, so that longer words in another language take another line
/// instead of being cut.
class FlowLayout : public QLayout {
public:
    explicit FlowLayout(QWidget* parent = nullptr);
    ~FlowLayout() override;

    void setGapPx(int gapPx);

    void addItem(QLayoutItem* item) override;
    [[nodiscard]] int count() const override { return static_cast<int>(m_items.size()); }
    [[nodiscard]] QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override { return {}; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

private:
    /// Height used; moves the items only when `move`.
    int arrange(const QRect& outer, bool move) const;

    std::vector<QLayoutItem*> m_items;
    int m_gapPx = 4;
};

}  // namespace lockstep::ui
