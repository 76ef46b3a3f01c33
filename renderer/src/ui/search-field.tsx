import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { type Ref, useState } from 'react'

const SEARCH_DELAY_MS = 250

/** What is typed to search by, and what of it is asked for once nobody types on. */
export function useTypedSearch() {
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS)
  return { typed, setTyped, search }
}

/** A search field above a list. */
export function SearchField(props: {
  ref?: Ref<HTMLInputElement>
  className: string | undefined
  label: string
  placeholder: string
  maxLength: number
  value: string
  onChange: (text: string) => void
}) {
  const { ref, className, label, placeholder, maxLength, value, onChange } = props
  return (
    <TextInput
      {...(ref && { ref })}
      type="search"
      className={className}
      aria-label={label}
      placeholder={placeholder}
      maxLength={maxLength}
      leftSection={<IconSearch size={16} />}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
