import { Select } from '@mantine/core'
import { t } from '../../i18n/t.ts'

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
      aria-label={t('ui.activity.device')}
      placeholder={t('ui.activity.anyDevice')}
      clearable
      searchable
      w={w}
      data={aeTitles}
      value={value ?? null}
      onChange={(aeTitle) => onChange(aeTitle ?? undefined)}
      clearButtonProps={{ 'aria-label': t('ui.activity.anyDevice') }}
    />
  )
}
