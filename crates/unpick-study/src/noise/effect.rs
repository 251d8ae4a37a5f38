//! What was seen of a program, in the words of the thesis.

use unpick_native::ibm::Stated;
use unpick_noise::statistics::{Effect, Share};

use super::Measured;

/// The failure rate of a cell, among executions of which is known how they end.
pub(super) fn share(measured: &Measured) -> Share {
    Share {
        count: measured.failures(),
        of: measured.executions - measured.late,
    }
}

/// What was seen, from the executions without noise and from those with each configuration.
pub(super) fn seen(without: Share, with: &[Share]) -> &'static str {
    let effects: Vec<Effect> = with.iter().map(|&one| Effect::of(without, one)).collect();
    let any = |wanted| effects.contains(&wanted);
    let fails = with.iter().any(|one| one.count > 0);
    match () {
        () if without.count == 0 && fails => "exposed",
        () if any(Effect::Raises) && any(Effect::Masks) => "raised and masked",
        () if any(Effect::Raises) => "raised",
        () if any(Effect::Masks) => "masked",
        () if without.count == 0 => "never",
        () => "unchanged",
    }
}

/// Whether that is what the thesis says.
pub(super) fn agrees(stated: Stated, seen: &str) -> bool {
    seen == stated.word()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_intervals() {
        let share = |count| Share { count, of: 100 };
        assert_eq!(seen(share(0), &[share(0), share(1)]), "exposed");
        assert_eq!(seen(share(0), &[share(0)]), "never");
        assert_eq!(seen(share(10), &[share(80)]), "raised");
        assert_eq!(seen(share(99), &[share(20), share(99)]), "masked");
        assert_eq!(seen(share(50), &[share(5), share(99)]), "raised and masked");
        assert_eq!(seen(share(50), &[share(52)]), "unchanged");
        assert!(agrees(Stated::Exposed, "exposed") && !agrees(Stated::Never, "exposed"));
    }
}
