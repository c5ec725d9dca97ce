//! Reads images of 8x8 numbers from 0 to 16, one per line, and prints the digit that each shows.
mod digits;

use digits::{Network, PIXELS};
use std::io::{self, BufRead};

fn parse(line: &str) -> Result<[f32; PIXELS], String> {
    let pixels: Vec<f32> = line
        .split_whitespace()
        .map(|word| word.parse().map_err(|_| format!("'{word}' is not a number")))
        .collect::<Result<_, _>>()?;
    pixels.try_into().map_err(|v: Vec<f32>| format!("{} numbers, not {PIXELS}", v.len()))
}

fn run() -> Result<(), String> {
    let mut network = Network::new().ok_or("this processor lacks instructions of the code")?;
    for (number, line) in io::stdin().lock().lines().enumerate() {
        let line = line.map_err(|error| error.to_string())?;
        let image = parse(&line).map_err(|error| format!("line {}: {error}", number + 1))?;
        println!("{}", network.classify(&image));
    }
    Ok(())
}

fn main() {
    if let Err(error) = run() {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
