import { Group, NumberInput, Select, Switch, TagsInput, TextInput } from '@mantine/core'
import { Copy } from '../components/copy.tsx'
import { type Json, kindOf, labelOf, type SettingRow } from './fields.ts'
import { words } from './words.ts'

const CHOICES: Record<string, string> = { warn: 'Note it and go on', strict: 'Reject the device' }

interface FieldProps {
  readonly row: SettingRow
  readonly value: Json
  readonly fault: string | undefined
  readonly onChange: (value: Json) => void
}

/** The control of one setting, by its kind. */
export function SettingField({ row, value, fault, onChange }: FieldProps) {
  const field = kindOf(row)
  const told = { 'aria-label': labelOf(row.key), error: fault }
  switch (field.kind) {
    case 'switch':
      return (
        <Switch
          {...told}
          checked={value === true}
          label={value === true ? words.on : words.off}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'choice':
      return (
        <Select
          {...told}
          allowDeselect={false}
          value={String(value)}
          data={field.options.map((option) => ({ value: option, label: CHOICES[option] ?? option }))}
          onChange={(option) => option !== null && onChange(option)}
        />
      )
    case 'number':
      return (
        <NumberInput
          {...told}
          value={typeof value === 'number' ? value : ''}
          allowDecimal={!field.isWhole}
          clampBehavior="none"
          {...(field.min !== null && { min: field.min })}
          {...(field.max !== null && { max: field.max })}
          onChange={(number) => onChange(typeof number === 'number' ? number : null)}
        />
      )
    case 'list':
      return (
        <TagsInput
          {...told}
          placeholder={words.list}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={onChange}
          acceptValueOnBlur
        />
      )
    case 'zone':
      return (
        <Select
          {...told}
          searchable
          allowDeselect={false}
          limit={60}
          value={String(value)}
          data={[{ value: 'local', label: words.localZone }, ...zones(String(value))]}
          onChange={(zone) => zone !== null && onChange(zone)}
        />
      )
    case 'id':
      return (
        <Group gap={4} wrap="nowrap">
          <TextInput {...told} readOnly value={String(value ?? '')} style={{ flex: 1 }} styles={{ input: { fontFamily: 'var(--mono)' } }} />
          <Copy value={String(value ?? '')} what={labelOf(row.key)} />
        </Group>
      )
    case 'text':
      return (
        <TextInput
          {...told}
          value={value === null ? '' : String(value)}
          placeholder={field.isNullable ? words.empty : ''}
          onChange={({ currentTarget }) => onChange(field.isNullable && currentTarget.value.trim() === '' ? null : currentTarget.value)}
        />
      )
  }
}

function zones(current: string): string[] {
  const known = Intl.supportedValuesOf('timeZone')
  return current === 'local' || known.includes(current) ? known : [current, ...known]
}
