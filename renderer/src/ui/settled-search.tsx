import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'

const SEARCH_DELAY_MS = 300

/**
 * A search field that asks once somebody has stopped typing. `value` is what was asked for last.
 */
export function SettledSearch(props: {
  label: string
  placeholder: string
  className: string | undefined
  value: string
  onChange: (text: string) => void
}) {
  const { label, placeholder, className, value, onChange } = props
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  const ask = useDebouncedCallback(onChange, SEARCH_DELAY_MS)
  if (value !== known) {
    setKnown(value)
    // Cleared elsewhere; what is asked for while somebody types on is left alone.
    if (value === '') setTyped('')
  }
  return (
    <TextInput
      className={className}
      aria-label={label}
      placeholder={placeholder}
      maxLength={64}
      leftSection={<IconSearch size={16} />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        ask(event.currentTarget.value.trim())
      }}
    />
  )
}
