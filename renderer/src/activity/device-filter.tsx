import { Select } from '@mantine/core'
import { words } from './words.ts'

/** Of which device, by its AE title; undefined for any. */
export function DeviceFilter(props: {
  aeTitles: readonly string[]
  value: string | undefined
  w: number
  onChange: (aeTitle: string | undefined) => void
}) {
  const { aeTitles, value, w, onChange } = props
  return (
    <Select
      aria-label={words.device}
      placeholder={words.anyDevice}
      clearable
      searchable
      w={w}
      data={aeTitles}
      value={value ?? null}
      onChange={(aeTitle) => onChange(aeTitle ?? undefined)}
      clearButtonProps={{ 'aria-label': words.anyDevice }}
    />
  )
}
