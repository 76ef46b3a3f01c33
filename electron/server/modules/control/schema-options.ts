import { z } from 'zod'
import { ApiError } from '#shared/errors.ts'
import { issueMessage } from '#shared/messages/issues.ts'
import { verbatim } from '#shared/messages/message.ts'
import { type CommandOption, NOT_CARRIED_OUT_MESSAGE, optionName } from './command.ts'

type JsonSchema = z.core.JSONSchema.JSONSchema

/** Longer lists of values are shown only in the description. */
const MAX_VALUES_IN_USAGE = 4

interface Field {
  /** Property names from the root of the schema to the field. */
  readonly path: readonly string[]
  readonly form: JsonSchema
  readonly isNullable: boolean
  readonly isRequired: boolean
}

/** The options for the fields of a schema, and their parser. */
export interface SchemaOptions<T extends z.ZodObject> {
  readonly options: Readonly<Record<string, CommandOption>>
  /**
   * Parses the options.
   * @throws ApiError malformed, with each missing or invalid option and its permitted values
   */
  readonly read: (options: Readonly<Record<string, unknown>>) => z.output<T>
  /** Runs `work`; errors that it throws name options instead of fields. */
  readonly withOptionNames: <R>(work: () => R) => R
}

/**
 * Derives the options of a command from an object schema of the contract, so that every new field
 * has an option. `daysBack` becomes `--days-back N`; `isTls` becomes `--tls` and `--no-tls`; lists
 * are comma-separated or repeated; a field of a nested object becomes `--OBJECT-FIELD`; a field
 * with a media type is read from the file that `--FIELD-file` names. `none` or an empty value
 * clears a nullable field. The description of an option is the description of its field.
 */
export function schemaOptions<T extends z.ZodObject>(schema: T): SchemaOptions<T> {
  const fields = new Map(
    fieldsOf(z.toJSONSchema(schema, { io: 'input' })).map((field) => [nameOf(field), field]),
  )
  const nameByPath = new Map([...fields].map(([name, { path }]) => [path.join('.'), name]))

  /** `body.aeTitle` is `--ae-title`; `modalities.1` is `--modalities`. */
  function optionOf(path: string): string | undefined {
    for (
      let rest = path.replace(/^body\./, '');
      rest !== '';
      rest = rest.replace(/\.?[^.]*$/, '')
    ) {
      const name = nameByPath.get(rest)
      if (name !== undefined) return name
    }
    return undefined
  }

  /** Error text for issues that have no message in the contract. */
  function errorTextOf({ code, input, path = [] }: z.core.$ZodRawIssue): string | undefined {
    const field = fields.get(optionOf(path.join('.')) ?? '')
    if (!field) return undefined
    const isMissing = code === 'invalid_type' && input === undefined
    return `${isMissing ? 'is missing: it takes' : 'must be'} ${valuesOf(field)}`
  }

  return {
    options: Object.fromEntries([...fields].map(([name, field]) => [name, commandOptionOf(field)])),
    read(options) {
      const given = {}
      for (const [name, field] of fields)
        if (options[name] !== undefined)
          assign(given, field.path, parseFieldValue(field, options[name]))
      const parsed = schema.safeParse(given, { error: errorTextOf })
      if (parsed.success) return parsed.data
      throw new ApiError('malformed', NOT_CARRIED_OUT_MESSAGE, {
        errors: parsed.error.issues.map((issue) => ({
          path: `--${optionOf(issue.path.join('.')) ?? optionName(issue.path.join('.'))}`,
          // A text from `errorTextOf` contains spaces; a message code does not.
          message: issue.message.includes(' ') ? verbatim(issue.message) : issueMessage(issue),
        })),
      })
    },
    withOptionNames(work) {
      try {
        return work()
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const errors = error.errors.map(({ path, message }) => {
          const name = optionOf(path)
          return { path: name === undefined ? path : `--${name}`, message }
        })
        throw new ApiError(error.code, error.explanation, { errors })
      }
    },
  }
}

function fieldsOf(form: JsonSchema, above: readonly string[] = []): Field[] {
  return Object.entries(form.properties ?? {}).flatMap(([name, property]) => {
    const whole = property as JsonSchema
    const { anyOf, ...rest } = whole
    const choices = (anyOf ?? []) as JsonSchema[]
    const soleChoice = choices.find(({ type }) => type !== 'null')
    const inner: JsonSchema = soleChoice ? { ...soleChoice, ...rest } : whole
    const path = [...above, name]
    if (inner.type === 'object') return fieldsOf(inner, path)
    return {
      path,
      form: inner,
      isNullable: choices.some(({ type }) => type === 'null'),
      isRequired: form.required?.includes(name) === true && inner.default === undefined,
    }
  })
}

function nameOf({ path, form }: Field): string {
  const joined = optionName(path.join('.'))
  if (form.type === 'boolean') return joined.replace(/^is-/, '')
  return form.contentMediaType === undefined ? joined : `${joined}-file`
}

function commandOptionOf(field: Field): CommandOption {
  const { form, isRequired } = field
  const about = form.description === undefined ? '' : `${form.description}.`
  const initial = form.default === undefined ? {} : { initial: describeValue(form.default) }
  if (form.type === 'boolean') return { type: 'boolean', isNegatable: true, about, ...initial }
  const isLong = (form.enum?.length ?? 0) > MAX_VALUES_IN_USAGE
  return {
    type: 'string',
    takes: placeholderOf(form),
    about: isLong ? `${about} One of: ${form.enum?.join(', ')}.` : about,
    ...initial,
    ...(form.type === 'array' && { multiple: true }),
    ...(form.contentMediaType !== undefined && { isFile: true }),
    ...(isRequired && { isRequired: true }),
  }
}

function placeholderOf(form: JsonSchema): string {
  if (form.enum) return form.enum.length > MAX_VALUES_IN_USAGE ? 'VALUE' : form.enum.join('|')
  if (form.type === 'array') return 'LIST'
  if (form.type === 'integer' || form.type === 'number') return 'N'
  return form.contentMediaType === undefined ? 'TEXT' : 'FILE'
}

/** Describes the permitted values of a field. */
function valuesOf({ form, isNullable }: Field): string {
  const or = isNullable ? ', or none' : ''
  if (form.enum) return `one of ${form.enum.join(', ')}${or}`
  if (form.contentMediaType !== undefined)
    return `a file of at most ${form.maxLength} characters${or}`
  switch (form.type) {
    case 'integer':
      return `a whole number from ${form.minimum} to ${form.maximum}${or}`
    case 'array':
      return `at most ${form.maxItems} values joined with commas, or none`
    default:
      return form.maxLength === undefined
        ? `a text${or}`
        : `a text of at most ${form.maxLength} characters${or}`
  }
}

function describeValue(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return value === '' ? 'empty' : String(value)
}

function parseFieldValue({ form, isNullable }: Field, given: unknown): unknown {
  if (typeof given !== 'string') return given
  const isNone = given.trim() === '' || given.trim() === 'none'
  if (form.type === 'array')
    return isNone
      ? []
      : given
          .split(',')
          .map((one) => one.trim())
          .filter((one) => one !== '')
  if (isNullable && isNone) return null
  const isNumber = form.type === 'integer' || form.type === 'number'
  return isNumber && /^-?\d+(\.\d+)?$/.test(given.trim()) ? Number(given) : given
}

function assign(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    target[name] = value
    return
  }
  const inner = (target[name] ?? {}) as Record<string, unknown>
  target[name] = inner
  assign(inner, rest, value)
}
