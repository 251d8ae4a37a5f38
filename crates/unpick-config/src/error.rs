//! Mistakes in the settings, with their remedy.

use crate::Place;

/// A setting that cannot be used: where it stands, what is wrong, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(String);

impl ConfigError {
    /// A mistake at a place.
    pub(crate) fn at(place: &Place, message: impl std::fmt::Display) -> ConfigError {
        ConfigError(format!("{place}: {message}"))
    }

    /// A mistake in a variable or an option.
    pub(crate) fn of(source: &str, message: impl std::fmt::Display) -> ConfigError {
        ConfigError(format!("{source}: {message}"))
    }
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

/// The list of what is allowed, with the one that was probably meant first.
pub(crate) fn allowed(wrong: &str, known: &[&str]) -> String {
    let list = known.join(", ");
    match nearest(wrong, known) {
        Some(nearest) => format!("did you mean `{nearest}`? there are {list}"),
        None => format!("there are {list}"),
    }
}

/// The known word that is most like a wrong one, if any is like it at all.
fn nearest<'a>(wrong: &str, known: &[&'a str]) -> Option<&'a str> {
    let distance = |word: &str| strsim::damerau_levenshtein(&wrong.to_lowercase(), word);
    let best = known.iter().min_by_key(|word| distance(word))?;
    let is_like = distance(best) <= 1 + wrong.len() / 4;
    is_like.then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_suggested_if_it_is_near() {
        let known = ["executions", "time", "steps"];
        assert_eq!(nearest("execution", &known), Some("executions"));
        assert_eq!(nearest("Tmie", &known), Some("time"));
        assert_eq!(nearest("budget", &known), None);
        assert_eq!(
            allowed("x", &["a", "bc"]),
            "did you mean `a`? there are a, bc"
        );
        assert_eq!(allowed("long", &["a", "bc"]), "there are a, bc");
    }
}
