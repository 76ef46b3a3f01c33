import { CloseButton, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useRef } from 'react'
import { t } from '../../i18n/t.ts'
import { useShortcuts } from '../shortcuts.ts'
import css from './study-list.module.css'

/**
 * The search box of a list: `/` goes to it, Escape empties and then leaves it, the arrow down goes
 * on to the rows.
 */
export function SearchBox(props: {
  label?: string
  placeholder: string
  maxLength: number
  value: string
  onChange: (text: string) => void
  onDown?: () => void
}) {
  const {
    label = t('ui.study-list.search'),
    placeholder,
    maxLength,
    value,
    onChange,
    onDown,
  } = props
  const searchInput = useRef<HTMLInputElement>(null)
  useShortcuts(t('ui.study-list.keys'), [
    {
      keys: '/',
      name: t('ui.study-list.keyNames.search'),
      run: () => searchInput.current?.select(),
    },
  ])
  return (
    <TextInput
      ref={searchInput}
      type="search"
      className={css.search}
      aria-label={label}
      placeholder={placeholder}
      title={placeholder}
      maxLength={maxLength}
      autoComplete="off"
      spellCheck={false}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        value !== '' && (
          <CloseButton
            size="sm"
            aria-label={t('ui.study-list.clearSearch')}
            onClick={() => onChange('')}
          />
        )
      }
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && value === '') event.currentTarget.blur()
        if (event.key === 'Escape') {
          event.preventDefault()
          onChange('')
        }
        if ((event.key === 'ArrowDown' || event.key === 'Enter') && onDown) {
          event.preventDefault()
          onDown()
        }
      }}
    />
  )
}
