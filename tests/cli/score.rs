use crate::run::{Folder, fens, lines};

#[test]
fn verdicts_agree_with_scores() {
    let text = lines(&fens(4, 3_000));
    let scores = Folder::new().run_with(&["score"], text.as_bytes());
    let verdicts = Folder::new().run_with(&["verdict"], text.as_bytes());
    let mut scores = scores.text().lines().skip(1).peekable();
    let header = "fen\tin_check\tnoisy\tbest_see\tbest_move\tthreat_see\tthreat_move\tthreats";
    assert_eq!(verdicts.text().lines().next(), Some(header));
    for row in verdicts.text().lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let own = |score: &&str| score.starts_with(&format!("{}\t", columns[0]));
        let mut best: Option<i32> = None;
        let mut noisy = 0;
        for _ in 0..columns[2].parse().unwrap() {
            let score = scores.next_if(own).unwrap();
            best = best.max(Some(score.rsplit('\t').next().unwrap().parse().unwrap()));
            noisy += 1;
        }
        assert_eq!(
            columns[3],
            best.map_or(String::new(), |see| see.to_string())
        );
        assert_eq!(columns[4].is_empty(), noisy == 0);
        assert!(columns[1] == "0" || columns[5].is_empty());
    }
    assert_eq!(scores.next(), None);
}
