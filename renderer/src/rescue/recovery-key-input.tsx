import { TextInput } from '@mantine/core'
import css from './rescue.module.css'
import { words } from './words.ts'

/** The recovery key as it stands on its sheet; case, hyphens and spaces do not count. */
export function RecoveryKeyInput(props: {
  value: string
  onChange: (value: string) => void
  error: string | undefined
}) {
  const { value, onChange, error } = props
  return (
    <TextInput
      label={words.recoveryKey[0]}
      description={words.recoveryKey[1]}
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
