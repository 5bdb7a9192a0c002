#pragma once

namespace lockstep {

/// Two quantities that are observed together, exponentially smoothed, and the ratio of their smoothed values. Each
/// observation weighs `keep` times as much as the one after it; weights always add up to one, so that the first
/// observations count no more than others (the bias correction of Kingma and Ba, "Adam", ICLR 2015, section 3).
///
/// The ratio's standard error is the delta method's to first order,
///   se(Y/X)^2 = (Y/X)^2 (var(Y)/Y^2 + var(X)/X^2 - 2 cov(X,Y)/(X Y)),
/// (Cochran, "Sampling Techniques", 3rd edition 1977, section 6.3), with the variances of the smoothed values from the
/// weighted spread of the observations (West, CACM 22(9), 1979) and Kish's effective number of them, n = 1 / sum w^2
/// ("Survey Sampling", 1965): var(mean) = spread / (n - 1). It takes observations for independent; a drift of what is
/// observed counts as spread, so it errs on the large side.
class SmoothedRatio {
public:
    /// `keep` 0..1.
    explicit SmoothedRatio(double keep) : m_keep(keep) {}

    void observe(double x, double y);
    [[nodiscard]] bool empty() const { return m_weights == 0; }
    [[nodiscard]] double x() const { return m_x; }
    [[nodiscard]] double y() const { return m_y; }
    /// Kish's: 1 after the first observation, (1 + keep) / (1 - keep) in the long run.
    [[nodiscard]] double effectiveObservations() const { return 1 / m_squaredWeights; }

    /// y / x; not a number before the first observation and where x is not positive.
    [[nodiscard]] double ratio() const;
    /// Not a number where the ratio is, and before the second observation.
    [[nodiscard]] double standardError() const;

private:
    double m_keep;
    double m_weights = 0;  ///< sum of the weights over that of the newest observation
    double m_x = 0, m_y = 0;
    double m_xx = 0, m_yy = 0, m_xy = 0;  ///< weighted mean products of the deviations from the means
    double m_squaredWeights = 1;
};

}  // namespace lockstep
