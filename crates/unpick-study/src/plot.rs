//! Plots as SVG: curves that only rise, points of two counts, and sets that overlap.
//!
//! Names stand in a list beside the plot, one a line, and counts at fixed places, so that no two labels meet,
//! whatever the numbers are. Everything is drawn from its data alone: the same data give the same bytes.

mod axis;
mod venn;

pub use axis::Axis;
pub use venn::venn;

use crate::page::escaped;
use std::fmt::Write as _;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 24.0;
/// Room on the right for the names.
const NAMES: f64 = 230.0;
const BOTTOM: f64 = 52.0;
const LINE: f64 = 20.0;

/// Colours that can be told apart, also by most of those who see few; with the dashes, also in grey.
const COLOURS: [&str; 9] = [
    "#1b6ca8", "#d1495b", "#2e8b57", "#8a4fbf", "#c77800", "#00818a", "#5c4033", "#b0378b",
    "#55606b",
];
const DASHES: [&str; 3] = ["none", "7 3", "2 3"];

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What they are.
    pub name: String,
    /// Where they are.
    pub points: Vec<(f64, f64)>,
    /// What each of them is, for those who point at it; may be shorter.
    pub labels: Vec<String>,
}

impl Series {
    /// Points without labels.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series {
            name: name.into(),
            points,
            labels: Vec::new(),
        }
    }
}

/// Curves that stay where they are until their next point.
#[must_use]
pub fn steps(x: &Axis, y: &Axis, all: &[Series]) -> String {
    let frame = Frame::new(x, y, all.len());
    let mut svg = frame.opening();
    for (index, series) in all.iter().enumerate() {
        let mut path = String::new();
        let mut height = None;
        for &(at, value) in &series.points {
            let (px, py) = frame.place(at, value);
            match height {
                None => {
                    let _ = write!(path, "M{px:.1} {py:.1}");
                }
                Some(last) if last != py => {
                    let _ = write!(path, "H{px:.1}V{py:.1}");
                }
                Some(_) => {
                    let _ = write!(path, "H{px:.1}");
                }
            }
            height = Some(py);
        }
        let (colour, dash) = (colour(index), DASHES[index % DASHES.len()]);
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>"
        );
        let (from, to, at) = frame.name_line(index);
        let _ = writeln!(
            svg,
            "<path d=\"M{from:.1} {at:.1}H{to:.1}\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>"
        );
        svg.push_str(&frame.name(index, &series.name));
    }
    svg.push_str("</svg>");
    svg
}

/// Points, with the diagonal on which both counts are the same.
#[must_use]
pub fn scatter(x: &Axis, y: &Axis, all: &[Series]) -> String {
    let frame = Frame::new(x, y, all.len());
    let mut svg = frame.opening();
    let (low, high) = (x.low().max(y.low()), x.high().min(y.high()));
    let (from, to) = (frame.place(low, low), frame.place(high, high));
    let _ = writeln!(
        svg,
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#9aa3ad\" stroke-dasharray=\"4 3\"/>",
        from.0, from.1, to.0, to.1
    );
    for (index, series) in all.iter().enumerate() {
        let colour = colour(index);
        for (number, &(at, value)) in series.points.iter().enumerate() {
            let (px, py) = frame.place(at, value);
            let label = series.labels.get(number).map_or("", String::as_str);
            let title = escaped(&format!("{label}: {at}, {value}"));
            let mark = mark(index, px, py, colour);
            let _ = writeln!(svg, "<g><title>{title}</title>{mark}</g>");
        }
        let (from, to, at) = frame.name_line(index);
        let _ = writeln!(svg, "{}", mark(index, (from + to) / 2.0, at, colour));
        svg.push_str(&frame.name(index, &series.name));
    }
    svg.push_str("</svg>");
    svg
}

fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()]
}

/// A mark whose form tells the series as its colour does.
fn mark(index: usize, x: f64, y: f64, colour: &str) -> String {
    let style = format!("fill=\"{colour}\" fill-opacity=\"0.45\" stroke=\"{colour}\"");
    match index % 3 {
        0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" {style}/>"),
        1 => format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\" {style}/>",
            x - 4.0,
            y - 4.0
        ),
        _ => format!(
            "<path d=\"M{x:.1} {:.1}L{:.1} {:.1}H{:.1}Z\" {style}/>",
            y - 5.5,
            x + 5.5,
            y + 4.5,
            x - 5.5
        ),
    }
}

/// Where a plot is drawn.
struct Frame<'a> {
    x: &'a Axis,
    y: &'a Axis,
    height: f64,
}

impl Frame<'_> {
    fn new<'a>(x: &'a Axis, y: &'a Axis, names: usize) -> Frame<'a> {
        Frame {
            x,
            y,
            height: HEIGHT.max(TOP + BOTTOM + names as f64 * LINE),
        }
    }

    fn right(&self) -> f64 {
        WIDTH - NAMES
    }

    fn bottom(&self) -> f64 {
        self.height - BOTTOM
    }

    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        let px = LEFT + self.x.share(x) * (self.right() - LEFT);
        let py = self.bottom() - self.y.share(y) * (self.bottom() - TOP);
        (px, py)
    }

    /// The picture up to its axes.
    fn opening(&self) -> String {
        let mut svg = opening(WIDTH, self.height);
        let (right, bottom) = (self.right(), self.bottom());
        for (value, text) in self.x.ticks() {
            let px = self.place(value, self.y.low()).0;
            let _ = writeln!(
                svg,
                "<path d=\"M{px:.1} {TOP}V{bottom:.1}\" stroke=\"#e3e7eb\"/>\
                 <text x=\"{px:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
                bottom + 18.0
            );
        }
        for (value, text) in self.y.ticks() {
            let py = self.place(self.x.low(), value).1;
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {py:.1}H{right:.1}\" stroke=\"#e3e7eb\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                LEFT - 6.0,
                py + 4.0
            );
        }
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {TOP}V{bottom:.1}H{right:.1}\" fill=\"none\" stroke=\"#55606b\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            (LEFT + right) / 2.0,
            bottom + 42.0,
            escaped(&self.x.label),
            (TOP + bottom) / 2.0,
            escaped(&self.y.label)
        );
        svg
    }

    /// The line that stands before a name: where it begins and ends, and at which height.
    fn name_line(&self, index: usize) -> (f64, f64, f64) {
        let from = self.right() + 18.0;
        (from, from + 28.0, TOP + 10.0 + index as f64 * LINE)
    }

    fn name(&self, index: usize, name: &str) -> String {
        let (_, to, at) = self.name_line(index);
        let (x, y) = (to + 8.0, at + 4.0);
        format!("<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>\n", escaped(name))
    }
}

/// The beginning of a picture, on white.
fn opening(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_goes_in_steps() {
        let x = Axis::log("schedules", 1.0, 1000.0);
        let y = Axis::linear("bugs", 0.0, 10.0);
        let series = Series::new("one", vec![(1.0, 0.0), (10.0, 5.0), (1000.0, 5.0)]);
        let svg = steps(&x, &y, &[series]);
        // A third of the way, then up by half, then to the end.
        assert!(svg.contains("d=\"M64.0 388.0H252.7V206.0H630.0\""), "{svg}");
        assert!(svg.contains(">1,000</text>"));
    }

    #[test]
    fn names_never_meet_however_many_there_are() {
        let axis = Axis::linear("n", 0.0, 1.0);
        let all: Vec<Series> = (0..40)
            .map(|number| Series::new(format!("series {number}"), vec![(0.0, 0.0)]))
            .collect();
        let svg = steps(&axis, &axis, &all);
        assert!(svg.contains("height=\"876\""), "room for 40 names: {svg}");
    }
}
