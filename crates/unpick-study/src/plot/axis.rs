//! An axis: where a number is on it, and which numbers are named.

/// A linear or a logarithmic axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub(super) label: String,
    low: f64,
    high: f64,
    is_log: bool,
}

impl Axis {
    /// Equal steps.
    pub fn linear(label: impl Into<String>, low: f64, high: f64) -> Axis {
        Axis {
            label: label.into(),
            low,
            high: high.max(low + 1.0),
            is_log: false,
        }
    }

    /// Equal factors, from a power of ten to a power of ten, the least of which is one.
    pub fn log(label: impl Into<String>, low: f64, high: f64) -> Axis {
        let low = 10f64.powf(low.max(1.0).log10().floor());
        let high = 10f64.powf(high.max(low * 10.0).log10().ceil());
        Axis {
            label: label.into(),
            low,
            high,
            is_log: true,
        }
    }

    pub(super) fn low(&self) -> f64 {
        self.low
    }

    pub(super) fn high(&self) -> f64 {
        self.high
    }

    /// Where a number is, from 0 to 1; numbers beyond the ends are put there.
    pub(super) fn share(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        match self.is_log {
            true => (value / self.low).log10() / (self.high / self.low).log10(),
            false => (value - self.low) / (self.high - self.low),
        }
    }

    /// The numbers that are named: at most ten or so.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let mut all = Vec::new();
        if self.is_log {
            let mut value = self.low;
            while value <= self.high * 1.001 {
                all.push((value, thousands(value)));
                value *= 10.0;
            }
            return all;
        }
        let rough = (self.high - self.low) / 8.0;
        let power = 10f64.powf(rough.log10().floor());
        let factor = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .find(|factor| factor * power >= rough);
        let step = (factor.unwrap_or(10.0) * power).max(1.0);
        let mut value = (self.low / step).ceil() * step;
        while value <= self.high * 1.000_001 {
            all.push((value, thousands(value)));
            value += step;
        }
        all
    }
}

/// A whole number with commas.
fn thousands(value: f64) -> String {
    unpick::report::thousands(value.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers() {
        let names = |axis: Axis| {
            axis.ticks()
                .into_iter()
                .map(|tick| tick.1)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names(Axis::log("", 1.0, 700.0)),
            ["1", "10", "100", "1,000"]
        );
        assert_eq!(
            names(Axis::linear("", 0.0, 49.0)),
            ["0", "10", "20", "30", "40"]
        );
        assert_eq!(names(Axis::linear("", 0.0, 3.0)), ["0", "1", "2", "3"]);
    }

    #[test]
    fn numbers_beyond_the_ends_stay_on_the_axis() {
        let axis = Axis::log("", 1.0, 100.0);
        assert_eq!(axis.share(0.0), 0.0);
        assert_eq!(axis.share(10.0), 0.5);
        assert_eq!(axis.share(1e9), 1.0);
    }
}
