use crate::run::{Folder, fens, lines};

#[test]
fn a_gpu_can_be_required() {
    let folder = Folder::new();
    folder.write("in", lines(&fens(52, 9)));
    for command in ["filter", "score", "verdict", "count"] {
        let args = [command, "in", "--backend", "gpu:no such GPU"];
        let ran = folder.run(&[&args[..], &["--require-gpu"]].concat());
        assert!(ran.error().contains("GPU"), "{}", ran.error());
        let on_cpu = folder.run(&[command, "in", "--backend", "cpu", "--require-gpu"]);
        let error = on_cpu.error();
        assert!(error.contains("asks for no GPU"), "{error}");
    }
}
