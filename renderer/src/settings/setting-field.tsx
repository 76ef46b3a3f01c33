import { Group, MultiSelect, NumberInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { Copy } from '../components/copy.tsx'
import { useReply } from '../gateway.ts'
import { said } from '../language/said.ts'
import { type Json, kindOf, labelOf, type SettingRow } from './fields.ts'
import { OPTIONS } from './setting-names.ts'
import { words } from './words.ts'

interface FieldProps {
  readonly row: SettingRow
  readonly value: Json
  readonly fault: string | undefined
  readonly onChange: (value: Json) => void
}

/** The control of one setting, by its kind. */
export function SettingField({ row, value, fault, onChange }: FieldProps) {
  const field = kindOf(row)
  const told = { 'aria-label': labelOf(row.key), error: fault && said(fault) }
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
          data={field.options.map((option) => ({ value: option, label: OPTIONS[option] ?? option }))}
          onChange={(option) => option !== null && onChange(option)}
        />
      )
    case 'number':
      return (
        <NumberInput
          {...told}
          value={typeof value === 'number' ? value : ''}
          placeholder={words.empty}
          allowDecimal={!field.isWhole}
          clampBehavior="none"
          {...(field.min !== null && { min: field.min })}
          {...(field.max !== null && { max: field.max })}
          onChange={(number) => onChange(typeof number === 'number' ? number : null)}
        />
      )
    case 'choices':
      return (
        <MultiSelect
          {...told}
          placeholder={Array.isArray(value) && value.length === 0 ? words.empty : ''}
          value={Array.isArray(value) ? value.map(String) : []}
          data={field.options.map((option) => ({ value: option, label: OPTIONS[option] ?? option }))}
          onChange={onChange}
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
    case 'destination':
      return <DestinationField told={told} value={value} onChange={onChange} />
    case 'lines':
      return (
        <Textarea
          {...told}
          value={String(value ?? '')}
          placeholder={words.empty}
          autosize
          minRows={2}
          maxRows={8}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )
    case 'block':
      return (
        <Textarea
          {...told}
          value={value === null ? '' : String(value)}
          placeholder={words.pem}
          autosize
          minRows={2}
          maxRows={8}
          classNames={{ input: 'mono' }}
          onChange={({ currentTarget }) => onChange(currentTarget.value.trim() === '' ? null : currentTarget.value)}
        />
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

function DestinationField(props: {
  told: { 'aria-label': string; error: string | undefined }
  value: Json
  onChange: (value: Json) => void
}) {
  const { told, value, onChange } = props
  const destinations = useReply(dashboardDestinations.list, {}, { staleTime: 30_000 }).data?.destinations ?? []
  return (
    <Select
      {...told}
      clearable
      placeholder={words.noDestination}
      value={typeof value === 'string' ? value : null}
      data={destinations.map(({ destinationId, name }) => ({ value: destinationId, label: name }))}
      onChange={onChange}
      clearButtonProps={{ 'aria-label': words.noDestination }}
    />
  )
}

function zones(current: string): string[] {
  const known = Intl.supportedValuesOf('timeZone')
  return current === 'local' || known.includes(current) ? known : [current, ...known]
}
