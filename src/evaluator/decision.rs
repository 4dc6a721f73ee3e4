//! What the rates that were measured come to: nothing but a function of them.

/// Results a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rates {
    pub cpu: f64,
    pub gpu: f64,
    /// Of both together, where that was worth a try.
    pub both: Option<f64>,
}

/// What the rest is done by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pick {
    Cpu,
    Gpu,
    Both,
}

/// Whose rates they are, for people.
pub(super) struct Names<'a> {
    pub gpu: &'a str,
    pub threads: usize,
    /// Scores or verdicts.
    pub unit: &'static str,
}

impl Rates {
    /// How much faster both have to be than one: they keep all cores busy.
    const GAIN: f64 = 1.1;
    /// Who is so much faster gains nothing from the other.
    const FAR: f64 = 8.0;

    /// Whether both together could be worth it.
    pub fn are_close(self) -> bool {
        self.gpu < Rates::FAR * self.cpu && self.cpu < Rates::FAR * self.gpu
    }

    /// The fastest; of equals the CPU.
    pub fn pick(self) -> Pick {
        let one = self.cpu.max(self.gpu);
        match self.both {
            Some(both) if both > Rates::GAIN * one => Pick::Both,
            _ if self.gpu > self.cpu => Pick::Gpu,
            _ => Pick::Cpu,
        }
    }

    /// What is taken and why, in one line.
    pub fn sentence(self, names: &Names) -> String {
        let Names { gpu, threads, unit } = names;
        let [by_cpu, by_device] = [self.cpu, self.gpu].map(rate);
        let threads = match threads {
            1 => "1 CPU thread".to_owned(),
            threads => format!("{threads} CPU threads"),
        };
        let text = match self.pick() {
            Pick::Cpu => {
                format!("CPU ({threads}, {by_cpu} {unit}/s against {by_device}/s on {gpu}")
            }
            Pick::Gpu => {
                format!("GPU ({gpu}, {by_device} {unit}/s against {by_cpu}/s on {threads}")
            }
            Pick::Both => {
                format!("GPU and CPU together ({gpu}, {by_device} {unit}/s; {threads}, {by_cpu}/s")
            }
        };
        let both = self.both.map(rate);
        let both = both.map_or_else(String::new, |both| format!("; both together {both}/s"));
        format!("backend: {text}{both})")
    }
}

/// With two digits at least.
fn rate(results_a_second: f64) -> String {
    let millions = results_a_second / 1e6;
    let digits = match millions {
        ..0.1 => 3,
        ..1.0 => 2,
        ..10.0 => 1,
        _ => 0,
    };
    format!("{millions:.digits$} M")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(cpu: f64, gpu: f64, both: Option<f64>) -> Rates {
        Rates { cpu, gpu, both }
    }

    #[test]
    fn the_fastest_is_taken() {
        for (cpu, gpu, both, pick) in [
            (21e6, 812e6, None, Pick::Gpu),
            (21e6, 9e6, None, Pick::Cpu),
            (21e6, 21e6, None, Pick::Cpu),
            (21e6, 21.1e6, None, Pick::Gpu),
            (21e6, 30e6, Some(45e6), Pick::Both),
            (30e6, 21e6, Some(45e6), Pick::Both),
            // Hardly better than one of them.
            (21e6, 30e6, Some(32e6), Pick::Gpu),
            (30e6, 21e6, Some(20e6), Pick::Cpu),
            // What cannot be: never a GPU for it.
            (21e6, 0.0, None, Pick::Cpu),
            (21e6, f64::NAN, Some(f64::NAN), Pick::Cpu),
        ] {
            assert_eq!(rates(cpu, gpu, both).pick(), pick, "{cpu} {gpu} {both:?}");
        }
    }

    #[test]
    fn both_are_tried_where_neither_is_far_ahead() {
        for (cpu, gpu, close) in [
            (20e6, 20e6, true),
            (20e6, 159e6, true),
            (20e6, 161e6, false),
            (20e6, 2.6e6, true),
            (20e6, 2.4e6, false),
            (20e6, 0.0, false),
            (20e6, f64::NAN, false),
        ] {
            assert_eq!(rates(cpu, gpu, None).are_close(), close, "{cpu} {gpu}");
        }
    }

    #[test]
    fn the_sentence_says_what_and_why() {
        let say = |rates: Rates, threads| {
            rates.sentence(&Names {
                gpu: "NVIDIA H100",
                threads,
                unit: "verdicts",
            })
        };
        assert_eq!(
            say(rates(21e6, 812.4e6, None), 2),
            "backend: GPU (NVIDIA H100, 812 M verdicts/s against 21 M/s on 2 CPU threads)"
        );
        assert_eq!(
            say(rates(21e6, 9.06e6, None), 1),
            "backend: CPU (1 CPU thread, 21 M verdicts/s against 9.1 M/s on NVIDIA H100)"
        );
        assert_eq!(
            say(rates(21e6, 30e6, Some(45e6)), 16),
            "backend: GPU and CPU together (NVIDIA H100, 30 M verdicts/s; 16 CPU threads, 21 M/s; \
             both together 45 M/s)"
        );
        assert_eq!(
            say(rates(30e6, 0.02e6, Some(1.0)), 16),
            "backend: CPU (16 CPU threads, 30 M verdicts/s against 0.020 M/s on NVIDIA H100; \
             both together 0.000 M/s)"
        );
    }
}
