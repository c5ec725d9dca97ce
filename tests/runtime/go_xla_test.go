// A test for a copy of the module github.com/gomlx/go-xla (docs/clients.md): its client
// runs the .tenon file TENON_FILE, which takes f32[16,64]. The client has no function to
// load executables, but compiling one loads it.
package pjrt

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestTenonFile(t *testing.T) {
	path := os.Getenv("TENON_FILE")
	if path == "" {
		t.Skip("TENON_FILE is not set")
	}
	client := getPJRTClient(t)
	file, err := os.ReadFile(path)
	requireNoError(t, err)
	program, err := client.Compile().WithStableHLO(file).Done()
	requireNoError(t, err, "Failed to load %s", path)
	x := make([]float32, 16*64)
	for i := range x {
		x[i] = float32(i%17-8) / 8
	}
	input, err := ArrayToBuffer(client, x, 16, 64)
	requireNoError(t, err)
	outputs, err := program.Execute(input).Done()
	requireNoError(t, err)
	y, dims, err := BufferToArray[float32](outputs[0])
	requireNoError(t, err)
	sum := 0.0
	for _, value := range y {
		sum += float64(value)
	}
	fmt.Printf("output %v %.9g %.9g %.9g\n", dims, y[0], y[1], sum)

	_, err = client.Compile().WithStableHLO([]byte("module {}")).Done()
	if os.Getenv("TENON_HAS_COMPILER") == "" &&
		(err == nil || !strings.Contains(err.Error(), "this plugin has no compiler")) {
		t.Errorf("a program was compiled: %v", err)
	}
}
