//! Compiles digits.mlir to an archive that the program links, and writes its sizes as constants.
use std::{env, fs, path::Path, process::Command};

const MODEL: &str = "digits.mlir";

fn main() {
    println!("cargo:rerun-if-changed={MODEL}");
    assert!(Path::new(MODEL).exists(), "{MODEL} is missing: python ../digits/model.py writes it");
    let out = env::var("OUT_DIR").unwrap();
    let header = format!("{out}/digits.h");
    let status = Command::new("tenon-compile")
        .args([MODEL, "--emit=archive", "--name", "digits", "--header", &header])
        .args(["-o", &format!("{out}/libdigits.a")])
        .status()
        .expect("tenon-compile is not on the PATH");
    assert!(status.success(), "tenon-compile failed");
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=static=digits");

    let arena = fs::read_to_string(&header)
        .unwrap()
        .lines()
        .find_map(|line| line.strip_prefix("#define DIGITS_ARENA_BYTES ").map(str::to_owned))
        .expect("the header states the size of the arena");
    let arena = arena.trim_end_matches('u');
    fs::write(format!("{out}/sizes.rs"), format!("const ARENA_BYTES: usize = {arena};\n")).unwrap();
}
