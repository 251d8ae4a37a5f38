//! Values of settings, and how they are written.

use std::fmt;
use std::time::Duration;

/// What stands behind a number of bytes, and how many each stands for.
const UNITS: [(u64, &str); 3] = [(1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];

/// A delay or a size without a limit.
const NONE: &str = "none";

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A strategy, or one of several words.
    Text(String),
    /// A number.
    Number(u64),
    /// A time.
    Time(Duration),
    /// A number of bytes.
    Size(u64),
    /// Yes or no.
    Flag(bool),
}

impl Value {
    /// The text.
    ///
    /// # Panics
    /// If it is something else.
    pub fn text(&self) -> &str {
        match self {
            Value::Text(text) => text,
            other => panic!("internal error: {other:?} is no text"),
        }
    }

    /// The number.
    ///
    /// # Panics
    /// If it is something else.
    pub fn number(&self) -> u64 {
        match self {
            Value::Number(number) => *number,
            other => panic!("internal error: {other:?} is no number"),
        }
    }

    /// The time.
    ///
    /// # Panics
    /// If it is something else.
    pub fn time(&self) -> Duration {
        match self {
            Value::Time(time) => *time,
            other => panic!("internal error: {other:?} is no time"),
        }
    }

    /// The time, or none.
    ///
    /// # Panics
    /// If it is something else.
    pub fn delay(&self) -> Option<Duration> {
        match self {
            Value::Text(text) if text == NONE => None,
            other => Some(other.time()),
        }
    }

    /// The number of bytes, or none.
    ///
    /// # Panics
    /// If it is something else.
    pub fn size(&self) -> Option<u64> {
        match self {
            Value::Text(text) if text == NONE => None,
            Value::Size(bytes) => Some(*bytes),
            other => panic!("internal error: {other:?} is no size"),
        }
    }

    /// The flag.
    ///
    /// # Panics
    /// If it is something else.
    pub fn flag(&self) -> bool {
        match self {
            Value::Flag(flag) => *flag,
            other => panic!("internal error: {other:?} is no flag"),
        }
    }
}

/// As it is written in `unpick.toml`, with quotes left out.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Number(number) => write!(f, "{number}"),
            Value::Flag(flag) => write!(f, "{flag}"),
            Value::Size(bytes) => {
                let unit = UNITS.iter().find(|(size, _)| bytes.is_multiple_of(*size));
                let (size, unit) = unit.unwrap_or(&(1, ""));
                write!(f, "{}{unit}", bytes / size)
            }
            Value::Time(time) => {
                let milliseconds = time.as_millis();
                if milliseconds == 0 {
                    return f.write_str("0s");
                }
                let units = [(3_600_000, "h"), (60_000, "m"), (1_000, "s")];
                let unit = units.iter().find(|(length, _)| milliseconds % length == 0);
                let (length, unit) = unit.unwrap_or(&(1, "ms"));
                write!(f, "{}{unit}", milliseconds / length)
            }
        }
    }
}

/// A number, in decimal or, with `0x`, in hexadecimal; `_` and `,` between digits are ignored.
pub fn parse_number(text: &str) -> Result<u64, String> {
    let plain: String = text.chars().filter(|c| *c != '_' && *c != ',').collect();
    let parsed = match plain.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => plain.parse(),
    };
    parsed.map_err(|_| format!("`{text}` is no number; write it like 1000 or 0x5eed"))
}

/// A duration like `500ms`, `30s`, `5m` or `2h`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let error = || format!("`{text}` is no time; write it like 500ms, 30s, 5m or 2h");
    let digits = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(error)?;
    let number: u64 = text[..digits].parse().map_err(|_| error())?;
    let milliseconds = match &text[digits..] {
        "ms" => Some(number),
        "s" => number.checked_mul(1_000),
        "m" => number.checked_mul(60_000),
        "h" => number.checked_mul(3_600_000),
        _ => None,
    };
    milliseconds.map(Duration::from_millis).ok_or_else(error)
}

/// A duration, where the unit of zero may be left out, or `none`.
pub fn parse_delay(text: &str) -> Result<Value, String> {
    match text {
        NONE => Ok(Value::Text(NONE.to_string())),
        "0" => Ok(Value::Time(Duration::ZERO)),
        _ => parse_duration(text).map(Value::Time).map_err(|_| {
            format!("`{text}` is no time; write it like 100ms, 2s or 0, or write none")
        }),
    }
}

/// A number of bytes like `500M` or `2G`, or `none`.
pub fn parse_size(text: &str) -> Result<Value, String> {
    let error = || format!("`{text}` is no size; write it like 500M or 2G, or write none");
    if text == NONE {
        return Ok(Value::Text(NONE.to_string()));
    }
    let found = UNITS.iter().find_map(|(size, unit)| {
        let digits = text.strip_suffix(unit)?;
        Some((digits, *size))
    });
    let (digits, size) = found.ok_or_else(error)?;
    let number: u64 = digits.parse().map_err(|_| error())?;
    let bytes = number.checked_mul(size).filter(|&bytes| bytes > 0);
    bytes.map(Value::Size).ok_or_else(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_read_or_refused_with_a_remedy() {
        assert_eq!(parse_number("1_000"), Ok(1_000));
        assert_eq!(parse_number("0x5eed"), Ok(0x5eed));
        assert!(parse_number("many").unwrap_err().contains("`many`"));
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("2h"), Ok(Duration::from_secs(7_200)));
        for wrong in ["", "30", "s", "3 s", "5x", "99999999999999999999h"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_delay_is_a_time_or_none() {
        let delay = |text: &str| parse_delay(text).map(|value| value.delay());
        assert_eq!(delay("100ms"), Ok(Some(Duration::from_millis(100))));
        assert_eq!(delay("0"), Ok(Some(Duration::ZERO)));
        assert_eq!(delay("none"), Ok(None));
        assert!(delay("never").unwrap_err().contains("`never`"));
    }

    #[test]
    fn a_size_is_read_as_it_is_written() {
        for text in ["1K", "500M", "2G", "1025M"] {
            assert_eq!(parse_size(text).unwrap().to_string(), text);
        }
        assert_eq!(parse_size("1024M").unwrap().size(), Some(1 << 30));
        assert_eq!(parse_size("none").unwrap().size(), None);
        for wrong in ["", "0M", "5", "M", "-1M", "1.5G", "99999999999999G"] {
            assert!(parse_size(wrong).unwrap_err().contains("500M"), "{wrong}");
        }
    }

    #[test]
    fn times_are_written_as_they_are_read() {
        for text in ["0s", "500ms", "1500ms", "30s", "90s", "5m", "2h"] {
            let time = parse_duration(text).unwrap();
            assert_eq!(Value::Time(time).to_string(), text);
        }
    }
}
