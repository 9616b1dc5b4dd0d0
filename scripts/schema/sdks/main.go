// Writes SDKs from a schema of a Pulumi package: sdks SCHEMA VERSION FOLDER LANGUAGE...
// With a file program.pp in FOLDER, a program in PCL, it writes that program in place of the SDK.
//
// `pulumi package gen-sdk` and `pulumi convert` ask the language hosts, and those that are published as Go modules cannot generate packages and programs.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "pulumi-webextract"

func main() {
	if len(os.Args) < 5 {
		fail(fmt.Errorf("usage: sdks SCHEMA VERSION FOLDER LANGUAGE..."))
	}
	for _, language := range os.Args[4:] {
		files, err := filesOf(os.Args[1], os.Args[2], filepath.Join(os.Args[3], "program.pp"), language)
		if err == nil {
			err = write(filepath.Join(os.Args[3], language), files)
		}
		if err != nil {
			fail(fmt.Errorf("%s: %w", language, err))
		}
	}
}

func filesOf(file, version, program, language string) (map[string][]byte, error) {
	if _, err := os.Stat(program); err == nil {
		return convert(file, version, program, language)
	}
	return generate(file, version, language)
}

func generate(file, version, language string) (map[string][]byte, error) {
	// Each language changes the package, so each gets its own.
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if language == "python" {
		text = withoutOpenEntries(text)
	}
	pkg, err := bind(text, version)
	if err != nil {
		return nil, err
	}
	switch language {
	case "go":
		files, err := gen.GeneratePackage(tool, pkg, nil)
		return files, firstError(err, refusePlain(files, pkg, goPlain))
	case "nodejs":
		return nodejs.GeneratePackage(tool, pkg, nil, nil, false, nil)
	case "python":
		files, err := python.GeneratePackage(tool, pkg, nil, nil)
		return files, firstError(err, refusePlain(files, pkg, pythonPlain))
	}
	return nil, fmt.Errorf("no such language; valid: go, nodejs, python")
}

func bind(text []byte, version string) (*schema.Package, error) {
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	spec.Version = version
	pkg, diagnostics, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err == nil && diagnostics.HasErrors() {
		err = diagnostics
	}
	return pkg, err
}

func write(folder string, files map[string][]byte) error {
	for name, content := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
