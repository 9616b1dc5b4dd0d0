package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// What our SDKs have beyond those that `pulumi package add` generates.

var openEntry = regexp.MustCompile(`"oneOf": \[\s*(\{\s*"\$ref": "#/types/[^"]+"\s*\}),\s*\{\s*` +
	`"type": "object",\s*"additionalProperties": \{\s*"\$ref": "pulumi.json#/Any"\s*\}\s*\}\s*\]`)

var ref = regexp.MustCompile(`"\$ref": "[^"]+"`)

// withoutOpenEntries takes the type of an entry alone. The schema allows every map beside it, which only programs in YAML need, and a type checker would
// find no mistake in an entry.
func withoutOpenEntries(text []byte) []byte {
	return openEntry.ReplaceAllFunc(text, func(found []byte) []byte { return ref.Find(found) })
}

// plainForm is the function of a language that returns no Output.
type plainForm struct {
	file   func(name string) string
	before string
	refuse func(name string) string
}

const why = "a value that is no Output cannot be marked as a secret. Use %s, or set %s."

var goPlain = plainForm{
	file:   func(name string) string { return "webextract/" + name + ".go" },
	before: "\topts = internal.PkgInvokeDefaultOpts(opts)\n",
	refuse: func(name string) string {
		upper := strings.ToUpper(name[:1]) + name[1:]
		// Not with an import of its own, which the generator orders.
		return "\tif args == nil || args.Plain == nil || !*args.Plain {\n\t\treturn nil, internal.PlainError(\"" +
			upper + ": " + fmt.Sprintf(why, upper+"Output", "Plain to true") + "\")\n\t}\n"
	},
}

var pythonPlain = plainForm{
	file:   func(name string) string { return "pulumi_webextract/" + snake(name) + ".py" },
	before: "    __args__ = dict()\n",
	refuse: func(name string) string {
		own := snake(name)
		return "    if plain is not True:\n        raise ValueError(\"" + own + ": " +
			fmt.Sprintf(why, own+"_output", "plain=True") + "\")\n"
	},
}

// refusePlain lets the plain form of a function fail before its request unless the program says that the result is not a secret. No request tells the plugin
// which form asks: Python would drop the mark of the secret, and Go fails after the request.
func refusePlain(files map[string][]byte, pkg *schema.Package, form plainForm) error {
	for _, function := range pkg.Functions {
		name := function.Token[strings.LastIndex(function.Token, ":")+1:]
		if function.Inputs == nil {
			continue
		}
		if _, ok := function.Inputs.Property("plain"); !ok {
			continue
		}
		file := form.file(name)
		if !bytes.Contains(files[file], []byte(form.before)) {
			return fmt.Errorf("%s has no %q", file, form.before)
		}
		// The plain form comes first.
		files[file] = bytes.Replace(files[file], []byte(form.before), []byte(form.refuse(name)+form.before), 1)
	}
	if _, isGo := files["webextract/init.go"]; isGo {
		files["webextract/internal/plain.go"] = []byte(plainError)
	}
	return nil
}

const plainError = `package internal

// PlainError is a refused call of a function that returns no Output.
type PlainError string

func (e PlainError) Error() string { return string(e) }
`

var capital = regexp.MustCompile("[A-Z]")

func snake(name string) string {
	return capital.ReplaceAllStringFunc(name, func(found string) string { return "_" + strings.ToLower(found) })
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
