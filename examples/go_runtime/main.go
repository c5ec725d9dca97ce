// Command classify reads images of 8x8 numbers from 0 to 16, one per line, and prints the digit
// that each shows. The network, digits.tenon, is inside of the program.
package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"os"
	"strconv"
	"strings"

	"classify/tenon"
)

//go:embed digits.tenon
var network []byte

func parse(line string, image []float32) error {
	words := strings.Fields(line)
	if len(words) != len(image) {
		return fmt.Errorf("%d numbers, not %d", len(words), len(image))
	}
	for i, word := range words {
		value, err := strconv.ParseFloat(word, 32)
		if err != nil {
			return fmt.Errorf("%q is not a number", word)
		}
		image[i] = float32(value)
	}
	return nil
}

func run() error {
	program, err := tenon.Open(network)
	if err != nil {
		return err
	}
	defer program.Close()
	if len(os.Args) > 1 && os.Args[1] == "--signature" {
		fmt.Println(program.Signature())
		return nil
	}
	lines := bufio.NewScanner(os.Stdin)
	for number := 1; lines.Scan(); number++ {
		if err := parse(lines.Text(), program.Input(0)); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		if err := program.Run(); err != nil {
			return err
		}
		best := 0
		for i, score := range program.Output(0) {
			if score > program.Output(0)[best] {
				best = i
			}
		}
		fmt.Println(best)
	}
	return lines.Err()
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
