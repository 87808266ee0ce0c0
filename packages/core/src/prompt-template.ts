import { InvalidInputError, LightningError } from "./errors.ts";
import { type PromptTemplate, type PromptTemplateEngine, promptTemplateEngines } from "./resources.ts";

/** Formats a template of one engine. */
export type TemplateFormatter = (template: string, values: Readonly<Record<string, unknown>>) => string;

/** A {@link PromptTemplate} resource. @param options - `engine`: how it is formatted; "f-string" unless given. @throws invalid_input */
export function promptTemplate(
  template: string,
  options: { readonly engine?: PromptTemplateEngine | undefined } = {},
): PromptTemplate {
  const engine = options.engine ?? "f-string";
  if (typeof template !== "string") {
    throw new InvalidInputError({ message: `a prompt template must be a string, got ${typeof template}` });
  }
  if (!promptTemplateEngines.includes(engine)) {
    throw new InvalidInputError({
      message: `engine must be one of ${promptTemplateEngines.join(", ")}, got ${engine}`,
    });
  }
  return Object.freeze({ resourceType: "prompt_template", template, engine });
}

const fStringToken = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g;

function formatFString(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(fStringToken, (token: string, field: string | undefined) => {
    if (token === "{{") return "{";
    if (token === "}}") return "}";
    if (field === undefined) {
      throw new InvalidInputError({
        message: `the template has a single "${token}"; write "${token}${token}" for the character itself`,
      });
    }
    if (!Object.hasOwn(values, field)) {
      const given = Object.keys(values).join(", ") || "none";
      throw new InvalidInputError({
        message: `the template needs a value for {${field}}; given: ${given}`,
        details: { field },
      });
    }
    const value = values[field];
    return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
  });
}

/**
 * Fills a template's holes. `f-string` (`{name}`, `{{` and `}}` for braces) is built in; give formatters for the others.
 *
 * @throws invalid_input for a missing value, unsupported for an engine without a formatter
 */
export function formatPrompt(
  template: PromptTemplate,
  values: Readonly<Record<string, unknown>>,
  options: { readonly engines?: Partial<Readonly<Record<PromptTemplateEngine, TemplateFormatter>>> | undefined } = {},
): string {
  const given = options.engines?.[template.engine];
  if (given !== undefined) return given(template.template, values);
  if (template.engine === "f-string") return formatFString(template.template, values);
  throw new LightningError({
    code: "unsupported",
    message: `templates of engine "${template.engine}" need a formatter: formatPrompt(template, values, { engines: { "${template.engine}": … } })`,
    details: { engine: template.engine },
  });
}
