//! `swaplist check --suite`: from an engine's results of the suite to its fault.

use anyhow::{Result, anyhow, bail};
use serde_json::{Value, json};
use swaplist::Rules;
use swaplist_files::explain::{explain_line, rules_to_json};
use swaplist_files::report::ResultTable;
use swaplist_files::suite::{Fault, Line, LineResult, SuiteDiagnosis, diagnose, lines, results};

use crate::options::RulesArgs;
use crate::session;
use crate::suite::must_hold;

/// How many explanations, and how many failing lines, are listed.
const LISTED: usize = 10;

/// Prints what explains the results; returns whether no line failed.
pub fn run(name: &str, text: &[u8], rules: &RulesArgs, is_json: bool) -> Result<bool> {
    if rules.overrides_profile() {
        bail!("the suite has values for profiles only: --suite takes --profile and --values");
    }
    must_hold(rules.values)?;
    let results = results(text).map_err(|error| anyhow!("{name}: {error}"))?;
    let diagnosis = diagnose(&results, rules.profile(), rules.values);
    let suite = lines();
    let sheet = sheet(name, &diagnosis, suite.len());
    let picture = match diagnosis.failed.first() {
        Some(&at) => picture(&diagnosis, at, &suite[at], results[at])?,
        None => String::new(),
    };
    session::show(is_json, &sheet, &picture)?;
    Ok(diagnosis.failed.is_empty())
}

/// The results of the suite as a table and as JSON.
fn sheet(name: &str, diagnosis: &SuiteDiagnosis, all: usize) -> ResultTable {
    let rules = Rules::new(diagnosis.profile, diagnosis.values);
    let failed: Vec<usize> = diagnosis.failed.iter().map(|at| at + 1).collect();
    let answered = diagnosis.answered.len();
    let explanations = diagnosis
        .explanations
        .iter()
        .map(|faults| faults.iter().map(|fault| fault.text()).collect::<Value>());
    let partial = diagnosis
        .partial
        .iter()
        .map(|(fault, lines)| json!({ "fault": fault.text(), "lines": lines }));
    let simplest = diagnosis.failed.first().map(|at| {
        let line = &lines()[*at];
        let value = line.sums[diagnosis.profile as usize].to_string();
        json!({ "fen": line.fen, "move": line.uci, "value": value, "about": line.about })
    });
    let mut sheet = ResultTable::new("check");
    sheet.title = format!("check --suite {name}");
    sheet
        .value("input", name)
        .value("lines", all)
        .value("answered", answered)
        .value("rules", rules_to_json(&rules))
        .value("failed", json!(failed))
        .value("simplest_failing", simplest)
        .value("explanations", explanations.collect::<Value>())
        .value("partial", partial.collect::<Value>());
    sheet.row("answered", format!("{answered} of {all} lines"));
    sheet.row("best", rules);
    let numbers: Vec<String> = failed.iter().take(LISTED).map(usize::to_string).collect();
    let more = if failed.len() > LISTED { ", ..." } else { "" };
    let listed = match failed.len() {
        0 => "none".to_owned(),
        1 => format!("1: line {}", numbers[0]),
        count => format!("{count}: lines {}{more}", numbers.join(", ")),
    };
    sheet.row("failed", listed);
    name_faults(diagnosis, &mut sheet);
    // That is rarely one fault of an engine, even if one would explain it.
    if failed.len() == answered && answered > 1 {
        sheet.row("", "no line passes: what asks the engine may be wrong, too");
    }
    sheet
}

/// Adds the faults that explain all results, or otherwise those that explain some and contradict
/// none.
fn name_faults(diagnosis: &SuiteDiagnosis, sheet: &mut ResultTable) {
    let name = |faults: &Vec<Fault>| match faults[..] {
        [first, second] => format!("{first}, and {second}"),
        _ => faults.iter().map(Fault::to_string).collect(),
    };
    if let [first, others @ ..] = &diagnosis.explanations[..] {
        sheet.row("fault", name(first));
        if !others.is_empty() {
            sheet.row("", "these results do not tell it from:");
        }
        for other in others.iter().take(LISTED) {
            sheet.row("", format!("  {}", name(other)));
        }
        if others.len() > LISTED {
            sheet.row(
                "",
                format!("  and {} more, --json names all", others.len() - LISTED),
            );
        }
    } else if !diagnosis.failed.is_empty() {
        sheet.row(
            "fault",
            "no known fault, and no two, explain all of these results",
        );
        if !diagnosis.partial.is_empty() {
            sheet.row(
                "",
                "these explain some of the failing lines and contradict no result:",
            );
        }
        for (fault, lines) in diagnosis.partial.iter().take(LISTED) {
            let noun = if *lines == 1 { "line" } else { "lines" };
            sheet.row("", format!("  {fault} ({lines} {noun})"));
        }
    }
}

/// The exchange of the simplest failing line, and what the engine said of it.
fn picture(
    diagnosis: &SuiteDiagnosis,
    at: usize,
    line: &Line<'_>,
    outcome: Option<LineResult>,
) -> Result<String> {
    let rules = Rules::new(diagnosis.profile, diagnosis.values);
    let explanation = explain_line(line.fen, Some(line.uci), &rules)?;
    let sum = line.sums[diagnosis.profile as usize];
    let said = match outcome {
        Some(LineResult::Value(value)) => format!(", and not {value}"),
        _ => String::new(),
    };
    Ok(format!(
        "\nThe simplest failing line is {}. Its value is {sum}, here {}{said}.\n{}\n\n{explanation}",
        at + 1,
        sum.at(&diagnosis.values),
        line.about
    ))
}
