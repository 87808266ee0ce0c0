import { describe, expect, test } from "vitest";
import {
  formatPrompt,
  LightningError,
  llmBaseUrl,
  llmResource,
  promptTemplate,
  proxyLlmResource,
  redactResources,
  resolveLlm,
} from "./index.ts";

const ids = { rolloutId: "ro-1", attemptId: "at-1" };

describe("the URL of a proxied model names its attempt", () => {
  test.each([
    ["http://proxy", "http://proxy/rollout/ro-1/attempt/at-1"],
    ["http://proxy/", "http://proxy/rollout/ro-1/attempt/at-1"],
    ["http://proxy/v1", "http://proxy/rollout/ro-1/attempt/at-1/v1"],
    ["http://proxy/v1/", "http://proxy/rollout/ro-1/attempt/at-1/v1"],
    ["http://proxy/v10", "http://proxy/v10/rollout/ro-1/attempt/at-1"],
  ])("%s", (endpoint, expected) => {
    expect(llmBaseUrl(proxyLlmResource({ endpoint, model: "m" }), ids)).toBe(expected);
  });

  test("a plain model keeps its endpoint, a proxied one without ids too", () => {
    expect(llmBaseUrl(llmResource({ endpoint: "http://m/v1", model: "m" }), ids)).toBe("http://m/v1");
    expect(llmBaseUrl(proxyLlmResource({ endpoint: "http://m/v1", model: "m" }))).toBe("http://m/v1");
  });

  test("one id without the other is refused", () => {
    const half = { rolloutId: "ro-1", attemptId: "" };
    expect(() => llmBaseUrl(proxyLlmResource({ endpoint: "http://m", model: "m" }), half)).toThrow("attemptId");
  });

  test("a resolved proxy is a plain model with everything else kept", () => {
    const proxy = proxyLlmResource({
      endpoint: "http://p/v1",
      model: "m",
      apiKey: "k",
      samplingParameters: { top_p: 1 },
    });
    expect(resolveLlm(proxy, ids)).toEqual({
      resourceType: "llm",
      endpoint: "http://p/rollout/ro-1/attempt/at-1/v1",
      model: "m",
      apiKey: "k",
      samplingParameters: { top_p: 1 },
    });
  });
});

describe("templates", () => {
  test("fills fields and keeps doubled braces as single ones", () => {
    expect(formatPrompt(promptTemplate("{{{name}}} is {age}"), { name: "Ada", age: 36 })).toBe("{Ada} is 36");
  });

  test("a value is put in as it is, never read as a template", () => {
    expect(formatPrompt(promptTemplate("{a}{b}"), { a: "{b}", b: "$&" })).toBe("{b}$&");
  });

  test("a missing value is named together with those given", () => {
    expect(() => formatPrompt(promptTemplate("{name}"), { nom: 1 })).toThrow("{name}; given: nom");
  });

  test("inherited properties are no values", () => {
    expect(() => formatPrompt(promptTemplate("{toString}"), {})).toThrow("{toString}");
  });

  test("a lone brace is refused with the way to write it", () => {
    expect(() => formatPrompt(promptTemplate("a { b"), {})).toThrow('write "{{"');
  });

  test("other engines need a formatter, and use it when there is one", () => {
    const template = promptTemplate("Hi {{ name }}", { engine: "jinja" });
    expect(() => formatPrompt(template, { name: "x" })).toThrow(LightningError);
    expect(
      formatPrompt(template, { name: "x" }, { engines: { jinja: (_text, { name }) => `jinja ${String(name)}` } }),
    ).toBe("jinja x");
  });
});

test("a printed resource has no key in it", () => {
  const printed = JSON.stringify(
    redactResources({ main: llmResource({ endpoint: "http://m", model: "m", apiKey: "sk-secret" }) }),
  );
  expect(printed).not.toContain("sk-secret");
  expect(printed).toContain("[redacted]");
});

test.each([
  ["endpoint", { endpoint: "", model: "m" }],
  ["model", { endpoint: "http://m", model: "" }],
])("an empty %s is refused by name", (field, options) => {
  expect(() => llmResource(options)).toThrow(field);
});
