import { type FormErrors, type UseFormReturnType, useForm } from '@mantine/form'
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { z } from 'zod'
import { issueMessage } from '#shared/messages/issues.ts'
import type { Operation } from '#shared/operation.ts'
import { faultsByField, type ProblemError } from '../api/client.ts'
import { translateMessage } from '../i18n/messages.ts'
import { useFormGuard } from './form-guard.tsx'
import { showRefusal } from './refused.ts'

interface ContractForm<Values, Body> {
  /** The operation whose body the form edits: its schema validates the form. */
  readonly operation: Operation
  readonly initialValues: Values
  /** The body of the call. */
  readonly bodyOf: (values: Values) => Body
  /** Rules that the schema does not have, by field. */
  readonly check?: (values: Values) => FormErrors
  /** The field of a path of the body, where it has another name. */
  readonly fieldOf?: (path: string) => string
  /** The form asks for something and changes nothing: its values can be lost. */
  readonly isQuery?: boolean
  /** Makes the call; `onError` shows a refusal at its fields. */
  readonly send: (body: Body, onError: (error: ProblemError) => void) => void
}

/**
 * A form whose values become the body of an operation. Before the call is made, the schema of the
 * contract validates the body; what is wrong is shown at its field, and the first such field gets
 * the focus. Unsaved changes are reported to the guard around the form.
 */
export function useContractForm<Values extends object, Body>({
  operation,
  initialValues,
  bodyOf,
  check,
  fieldOf = (path) => path,
  isQuery = false,
  send,
}: ContractForm<Values, Body>): {
  form: UseFormReturnType<Values>
  submit: (event: FormEvent<HTMLFormElement>) => void
} {
  // From the call until it is refused or something is typed, there is nothing unsaved.
  const [isSent, setSent] = useState(false)
  const isValidating = useRef(false)
  const onValuesChange = useCallback(() => setSent(false), [])
  const form = useForm<Values>({ initialValues, onValuesChange })
  useFormGuard(form.isDirty() && !isSent && !isQuery)
  // The schemas are loaded while the person types.
  useEffect(() => void schemaOf(operation).catch(() => undefined), [operation])

  const submit = (event: FormEvent<HTMLFormElement>) => {
    const element = event.currentTarget
    const show = (faults: FormErrors) => {
      // Drawn at once, so that the field that shows a fault is found.
      flushSync(() => form.setErrors(faults))
      const shown = element.querySelector('[aria-invalid="true"], .mantine-InputWrapper-error')
      const field = shown?.closest('.mantine-InputWrapper-root') ?? shown
      const [text] = Object.values(faults)
      if (shown)
        (field?.querySelector<HTMLElement>('input, textarea') ?? (shown as HTMLElement)).focus()
      // No field of the form shows it.
      else if (typeof text === 'string') showRefusal(text)
    }
    form.onSubmit(async (values) => {
      if (isValidating.current) return
      const body = bodyOf(values)
      const ownFaults = check?.(values)
      isValidating.current = true
      const faults = { ...(await contractFaults(operation, body, fieldOf)), ...ownFaults }
      isValidating.current = false
      if (Object.keys(faults).length > 0) return show(faults)
      setSent(true)
      send(body, (error) => {
        setSent(false)
        show(faultsByField(error, 'body', fieldOf))
      })
    })(event)
  }
  return { form, submit }
}

/** `fieldOf` of a form that has one field for a list or an object of the body. */
export const topField = (path: string): string => path.split('.')[0] ?? path

/** The schema of an operation's body, which the first screen of the window does not load. */
async function schemaOf({ method, path }: Operation) {
  const { findOperation } = await import('#shared/contract/operations.ts')
  return findOperation(method, path)?.body
}

/** What the gateway would refuse, by field: the first fault of each. */
export async function contractFaults(
  operation: Operation,
  body: unknown,
  fieldOf: (path: string) => string = (path) => path,
): Promise<Record<string, string>> {
  // Without the schema the gateway decides.
  const schema = await schemaOf(operation).catch(() => undefined)
  return faultsOfIssues(schema?.safeParse(body).error?.issues ?? [], fieldOf)
}

/** What a schema says of a form, by field: the first fault of each. */
export function faultsOfIssues(
  issues: readonly z.core.$ZodIssue[],
  fieldOf: (path: string) => string = (path) => path,
): Record<string, string> {
  const faults: Record<string, string> = {}
  for (const issue of issues)
    faults[fieldOf(issue.path.join('.'))] ??= translateMessage(issueMessage(issue))
  return faults
}
