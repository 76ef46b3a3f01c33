import type { ReactNode } from 'react'
import { type JsonValue, kindOf, labelOf, type SettingRow } from './fields.ts'
import { CONTROLS, type ControlProps } from './setting-controls.tsx'

interface FieldProps {
  readonly row: SettingRow
  readonly value: JsonValue
  readonly fault: string | undefined
  readonly onChange: (value: JsonValue) => void
}

/** The control of one setting, by its kind. */
export function SettingField({ row, value, fault, onChange }: FieldProps) {
  const field = kindOf(row)
  const told = { 'aria-label': labelOf(row.key), error: fault }
  // Each control takes the fields of its own kind, which the table cannot say of a kind that is not
  // known yet.
  const Control = CONTROLS[field.kind] as (props: ControlProps) => ReactNode
  return <Control field={field} told={told} value={value} onChange={onChange} />
}
