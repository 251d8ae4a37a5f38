//! What many free executions come to: rates with intervals, means with deviations.

/// How often something happened among so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How often.
    pub count: u64,
    /// Among how many.
    pub of: u64,
}

impl Share {
    /// The rate, or zero if there were none.
    pub fn rate(self) -> f64 {
        match self.of {
            0 => 0.0,
            of => self.count as f64 / of as f64,
        }
    }

    /// The interval in which the true rate lies with a confidence of 95 in 100.
    ///
    /// Edwin B. Wilson, *Probable Inference, the Law of Succession, and Statistical Inference*, Journal of
    /// the American Statistical Association 22, 1927. It never leaves 0 to 1, and says something also if
    /// nothing or everything failed.
    pub fn interval(self) -> (f64, f64) {
        const Z: f64 = 1.959_963_984_540_054;
        if self.of == 0 {
            return (0.0, 1.0);
        }
        let n = self.of as f64;
        let rate = self.rate();
        let centre = rate + Z * Z / (2.0 * n);
        let reach = Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
        let whole = 1.0 + Z * Z / n;
        // At the ends the difference is nothing but rounding.
        let low = if self.count == 0 {
            0.0
        } else {
            (centre - reach) / whole
        };
        let high = if self.count == self.of {
            1.0
        } else {
            (centre + reach) / whole
        };
        (low, high)
    }

    /// By how many standard deviations the rate is above another one, if both were the same in truth; negative if it
    /// is below.
    pub fn deviations_above(self, other: Share) -> f64 {
        let of = (self.of + other.of) as f64;
        let common = (self.count + other.count) as f64 / of;
        let variance = common * (1.0 - common) * of / (self.of as f64 * other.of as f64);
        match variance > 0.0 {
            true => (self.rate() - other.rate()) / variance.sqrt(),
            false => 0.0,
        }
    }
}

/// How a rate with noise compares with the rate without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The intervals lie apart, and there is more with noise.
    Raises,
    /// The intervals lie apart, and there is less with noise: it hides the failure.
    Masks,
    /// It was seen with noise only, though the intervals overlap.
    Exposes,
    /// Nothing can be told.
    Unclear,
}

impl Effect {
    /// Compares.
    pub fn of(without: Share, with: Share) -> Effect {
        let (low_without, high_without) = without.interval();
        let (low_with, high_with) = with.interval();
        if low_with > high_without {
            Effect::Raises
        } else if high_with < low_without {
            Effect::Masks
        } else if without.count == 0 && with.count > 0 {
            Effect::Exposes
        } else {
            Effect::Unclear
        }
    }

    /// In a few words.
    pub fn words(self) -> &'static str {
        match self {
            Effect::Raises => "noise raises the failure rate",
            Effect::Masks => "noise masks the failure: it is seen less often than without",
            Effect::Exposes => "only noise has shown the failure",
            Effect::Unclear => "no difference can be told",
        }
    }
}

/// Mean and standard deviation (of the whole population) of some numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    /// How many.
    pub count: u64,
    /// The mean.
    pub mean: f64,
    /// The sum of squares of the differences from it.
    squares: f64,
}

impl Mean {
    /// Adds a number (Welford).
    pub fn add(&mut self, number: f64) {
        self.count += 1;
        let before = number - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (number - self.mean);
    }

    /// The standard deviation.
    pub fn deviation(&self) -> f64 {
        match self.count {
            0 => 0.0,
            count => (self.squares / count as f64).sqrt(),
        }
    }
}

impl FromIterator<f64> for Mean {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Mean {
        let mut mean = Mean::default();
        numbers.into_iter().for_each(|number| mean.add(number));
        mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(count: u64, of: u64) -> Share {
        Share { count, of }
    }

    #[test]
    fn intervals_are_wilsons() {
        // 5 of 10: 0.5 give or take 0.2634, as published tables have it.
        let (low, high) = share(5, 10).interval();
        assert!((low - 0.236_6).abs() < 1e-4 && (high - 0.763_4).abs() < 1e-4);
        // None of 250: z²/(n + z²).
        let (low, high) = share(0, 250).interval();
        assert!(low == 0.0 && (high - 0.015_13).abs() < 1e-5, "{high}");
        assert_eq!(share(7, 7).interval().1, 1.0);
        assert_eq!(share(0, 0).interval(), (0.0, 1.0));
    }

    #[test]
    fn two_rates_are_compared_by_what_chance_would_do() {
        // 45 and 30 of 100: 0.15 / sqrt(0.375 * 0.625 * 2 / 100).
        let apart = share(45, 100).deviations_above(share(30, 100));
        assert!((apart - 2.190_9).abs() < 1e-4, "{apart}");
        assert_eq!(share(30, 100).deviations_above(share(45, 100)), -apart);
        assert_eq!(share(0, 10).deviations_above(share(0, 10)), 0.0);
        assert_eq!(share(0, 0).deviations_above(share(3, 10)), 0.0);
    }

    #[test]
    fn masking_is_seen() {
        assert_eq!(Effect::of(share(90, 100), share(10, 100)), Effect::Masks);
        assert_eq!(Effect::of(share(10, 100), share(90, 100)), Effect::Raises);
        assert_eq!(Effect::of(share(0, 250), share(1, 250)), Effect::Exposes);
        assert_eq!(Effect::of(share(50, 100), share(52, 100)), Effect::Unclear);
        assert_eq!(Effect::of(share(0, 10), share(0, 10)), Effect::Unclear);
    }

    #[test]
    fn deviations_are_those_of_the_whole() {
        let mean: Mean = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]
            .into_iter()
            .collect();
        assert!((mean.mean - 5.0).abs() < 1e-12 && (mean.deviation() - 2.0).abs() < 1e-12);
    }
}
