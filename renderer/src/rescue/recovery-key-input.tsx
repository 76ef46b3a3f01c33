import { TextInput } from '@mantine/core'
import { t } from '../i18n/t.ts'
import css from './rescue.module.css'

/** The recovery key as it stands on its sheet; case, hyphens and spaces do not count. */
export function RecoveryKeyInput(props: {
  value: string
  onChange: (value: string) => void
  error: string | undefined
}) {
  const { value, onChange, error } = props
  return (
    <TextInput
      label={t('ui.rescue.recoveryKey.label')}
      description={t('ui.rescue.recoveryKey.description')}
      placeholder="XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXX"
      classNames={{ input: css.key ?? '' }}
      autoComplete="off"
      spellCheck={false}
      maxLength={200}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
