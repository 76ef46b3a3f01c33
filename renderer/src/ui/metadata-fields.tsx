import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { type KeyboardEvent, useRef } from 'react'
import { flushSync } from 'react-dom'
import { t } from '../i18n/t.ts'
import css from './metadata-fields.module.css'
import {
  MAX_NAME_CHARACTERS,
  MAX_PAIRS,
  MAX_VALUE_CHARACTERS,
  type MetadataPair,
  newPair,
  pairFaults,
} from './metadata-pairs.ts'

/**
 * A metadata map, line by line. Begin with `pairsOf(metadata)`;
 * before sending ask `pairFaults(value)`, and send `metadataOf(value)`. The faults of the lines are
 * shown here.
 * @param errors of the form, of which those of `metadata` are shown
 */
export function MetadataFields(props: {
  value: readonly MetadataPair[]
  onChange: (value: readonly MetadataPair[]) => void
  errors?: Readonly<Record<string, unknown>> | undefined
}) {
  const { value, onChange, errors = {} } = props
  const fieldsetElement = useRef<HTMLFieldSetElement>(null)
  const faults = pairFaults(value)
  const refusals = Object.entries(errors).flatMap(([path, fault]) =>
    (path === 'metadata' || path.startsWith('metadata.')) && typeof fault === 'string'
      ? [fault]
      : [],
  )
  const set = (id: number, change: Partial<MetadataPair>) =>
    onChange(value.map((pair) => (pair.id === id ? { ...pair, ...change } : pair)))

  function add() {
    // Drawn at once: what is typed next belongs to the new line.
    flushSync(() => onChange([...value, newPair()]))
    const names =
      fieldsetElement.current?.querySelectorAll<HTMLInputElement>('input[data-name]') ?? []
    ;[...names].at(-1)?.focus()
  }
  function remove(id: number) {
    flushSync(() => onChange(value.filter((pair) => pair.id !== id)))
    fieldsetElement.current?.querySelector<HTMLElement>('[data-add]')?.focus()
  }
  /** Enter goes on to another line instead of sending the form. */
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter') return
    event.preventDefault()
    if (value.length < MAX_PAIRS) add()
  }

  return (
    <fieldset ref={fieldsetElement} className={css.fields}>
      <legend className={css.legend}>{t('ui.customers.metadata.title')}</legend>
      <p className={css.about}>
        {value.length === 0 ? t('ui.customers.metadata.none') : t('ui.customers.metadata.about')}
      </p>
      {value.map((pair, at) => (
        <div key={pair.id} className={css.pair}>
          <TextInput
            data-name
            aria-label={t('ui.customers.metadata.nameOf', { line: at + 1 })}
            placeholder={t('ui.customers.metadata.name')}
            maxLength={MAX_NAME_CHARACTERS}
            value={pair.name}
            error={faults.get(pair.id)}
            onChange={(event) => set(pair.id, { name: event.currentTarget.value })}
          />
          <TextInput
            aria-label={t('ui.customers.metadata.valueOf', { name: pair.name || at + 1 })}
            placeholder={t('ui.customers.metadata.value')}
            maxLength={MAX_VALUE_CHARACTERS}
            value={pair.value}
            onChange={(event) => set(pair.id, { value: event.currentTarget.value })}
            onKeyDown={onKeyDown}
          />
          <Tooltip label={t('ui.customers.metadata.remove', { name: pair.name || at + 1 })}>
            <ActionIcon
              aria-label={t('ui.customers.metadata.remove', { name: pair.name || at + 1 })}
              onClick={() => remove(pair.id)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Tooltip>
        </div>
      ))}
      <div>
        <Button
          data-add
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} />}
          disabled={value.length >= MAX_PAIRS}
          title={value.length >= MAX_PAIRS ? t('ui.customers.metadata.full') : undefined}
          onClick={add}
        >
          {t('ui.customers.metadata.add')}
        </Button>
      </div>
      {refusals.length > 0 && (
        <p className={css.refusal} role="alert">
          {refusals.join(' ')}
        </p>
      )}
    </fieldset>
  )
}
