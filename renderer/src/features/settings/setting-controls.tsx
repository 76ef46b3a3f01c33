import {
  Group,
  MultiSelect,
  NumberInput,
  Select,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core'
import type { ReactNode } from 'react'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { useReply } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { Copy } from '../../ui/copy.tsx'
import type { FieldKind, JsonValue } from './fields.ts'
import { optionName } from './setting-names.ts'

type Kind = FieldKind['kind']

export interface ControlProps<K extends Kind = Kind> {
  readonly field: Extract<FieldKind, { readonly kind: K }>
  readonly told: { readonly 'aria-label': string; readonly error: string | undefined }
  readonly value: JsonValue
  readonly onChange: (value: JsonValue) => void
}

/** The control of each kind of setting. */
export const CONTROLS: { readonly [K in Kind]: (props: ControlProps<K>) => ReactNode } = {
  switch: ({ told, value, onChange }) => (
    <Switch
      {...told}
      checked={value === true}
      label={value === true ? t('ui.settings.on') : t('ui.settings.off')}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  ),
  choice: ({ field, told, value, onChange }) => (
    <Select
      {...told}
      allowDeselect={false}
      value={String(value)}
      data={optionsOf(field)}
      onChange={(option) => option !== null && onChange(option)}
    />
  ),
  number: ({ field, told, value, onChange }) => (
    <NumberInput
      {...told}
      value={typeof value === 'number' ? value : ''}
      placeholder={t('ui.settings.empty')}
      allowDecimal={!field.isWhole}
      clampBehavior="none"
      {...(field.min !== null && { min: field.min })}
      {...(field.max !== null && { max: field.max })}
      onChange={(number) => onChange(typeof number === 'number' ? number : null)}
    />
  ),
  choices: ({ field, told, value, onChange }) => (
    <MultiSelect
      {...told}
      placeholder={Array.isArray(value) && value.length === 0 ? t('ui.settings.empty') : ''}
      value={listOf(value)}
      data={optionsOf(field)}
      onChange={onChange}
    />
  ),
  list: ({ told, value, onChange }) => (
    <TagsInput
      {...told}
      placeholder={t('ui.settings.list')}
      value={listOf(value)}
      onChange={onChange}
      acceptValueOnBlur
    />
  ),
  zone: ({ told, value, onChange }) => (
    <Select
      {...told}
      searchable
      allowDeselect={false}
      limit={60}
      value={String(value)}
      data={[{ value: 'local', label: t('ui.settings.localZone') }, ...timeZones(String(value))]}
      onChange={(zone) => zone !== null && onChange(zone)}
    />
  ),
  id: ({ told, value }) => (
    <Group gap={4} wrap="nowrap">
      <Textarea
        {...told}
        readOnly
        autosize
        minRows={1}
        value={String(value ?? '')}
        style={{ flex: 1 }}
        styles={{ input: { fontFamily: 'var(--mono)' } }}
      />
      <Copy value={String(value ?? '')} what={told['aria-label']} />
    </Group>
  ),
  destination: Destination,
  lines: ({ told, value, onChange }) => (
    <Textarea
      {...told}
      value={String(value ?? '')}
      placeholder={t('ui.settings.empty')}
      autosize
      minRows={2}
      maxRows={8}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  ),
  block: ({ told, value, onChange }) => (
    <Textarea
      {...told}
      value={value === null ? '' : String(value)}
      placeholder={t('ui.settings.pem')}
      autosize
      minRows={2}
      maxRows={8}
      classNames={{ input: 'mono' }}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value.trim() === '' ? null : currentTarget.value)
      }
    />
  ),
  text: ({ field, told, value, onChange }) => (
    <TextInput
      {...told}
      value={value === null ? '' : String(value)}
      placeholder={field.isNullable ? t('ui.settings.empty') : ''}
      onChange={({ currentTarget }) =>
        onChange(field.isNullable && currentTarget.value.trim() === '' ? null : currentTarget.value)
      }
    />
  ),
}

function Destination({ told, value, onChange }: ControlProps<'destination'>) {
  const destinations =
    useReply(dashboardDestinations.list, {}, { staleTime: 30_000 }).data?.destinations ?? []
  return (
    <Select
      {...told}
      clearable
      placeholder={t('ui.settings.noDestination')}
      value={typeof value === 'string' ? value : null}
      data={destinations.map(({ destinationId, name }) => ({ value: destinationId, label: name }))}
      onChange={onChange}
      clearButtonProps={{ 'aria-label': t('ui.settings.noDestination') }}
    />
  )
}

const optionsOf = ({ options }: { readonly options: readonly string[] }) =>
  options.map((option) => ({ value: option, label: optionName(option) }))

const listOf = (value: JsonValue): string[] => (Array.isArray(value) ? value.map(String) : [])

function timeZones(current: string): string[] {
  const known = Intl.supportedValuesOf('timeZone')
  return current === 'local' || known.includes(current) ? known : [current, ...known]
}
