import { Button, Group, NumberInput, Select, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { HangingProtocol } from '#shared/contract/hanging-protocols.ts'
import type { ProblemError } from '../api/client.ts'
import { t } from '../i18n/t.ts'
import { ErrorNotice } from '../ui/page.tsx'
import css from './side.module.css'

const PRIOR_OPTIONS = ['any', 'with', 'without'] as const

/** For which studies a layout is used. What it shows is what was on the screen. */
export function LayoutForm(props: {
  protocol: HangingProtocol
  isNew: boolean
  isBusy: boolean
  error: ProblemError | null
  onSave: (protocol: HangingProtocol) => void
  onCancel: () => void
}) {
  const { protocol, isNew, isBusy, error, onSave, onCancel } = props
  const [name, setName] = useState(protocol.name)
  const [modality, setModality] = useState(protocol.modality)
  const [words, setWords] = useState(protocol.words.join(', '))
  const [prior, setPrior] = useState(protocol.prior)
  const [least, setLeast] = useState<number | string>(protocol.leastSeries || '')
  const [most, setMost] = useState<number | string>(protocol.mostSeries ?? '')
  const isNamed = name.trim() !== ''
  const isOrdered = least === '' || most === '' || Number(least) <= Number(most)
  const save = () => {
    if (!isNamed || !isOrdered) return
    onSave({
      ...protocol,
      name: name.trim(),
      modality: modality.trim().toUpperCase(),
      words: words
        .split(',')
        .map((word) => word.trim().slice(0, 40))
        .filter(Boolean)
        .slice(0, 10),
      prior,
      leastSeries: least === '' ? 0 : Number(least),
      mostSeries: most === '' ? null : Number(most),
    })
  }
  return (
    <form
      aria-label={t(isNew ? 'ui.viewer.layouts.save' : 'ui.viewer.layouts.change')}
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <Stack gap="xs">
        <p className={css.about}>
          {protocol.isPlanes
            ? t('ui.viewer.layouts.savesPlanes')
            : t('ui.viewer.layouts.saves', { rows: protocol.rows, columns: protocol.columns })}
        </p>
        <TextInput
          label={t('ui.viewer.layouts.fields.name')}
          value={name}
          maxLength={60}
          error={isNamed ? undefined : t('ui.viewer.layouts.nameNeeded')}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <TextInput
          label={t('ui.viewer.layouts.fields.modality')}
          description={t('ui.viewer.layouts.fields.modalityHint')}
          value={modality}
          maxLength={16}
          onChange={(event) => setModality(event.currentTarget.value)}
        />
        <TextInput
          label={t('ui.viewer.layouts.fields.words')}
          description={t('ui.viewer.layouts.fields.wordsHint')}
          value={words}
          maxLength={400}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
        <Select
          label={t('ui.viewer.layouts.fields.prior')}
          data={PRIOR_OPTIONS.map((one) => ({
            value: one,
            label: t(`ui.viewer.layouts.priors.${one}`),
          }))}
          value={prior}
          allowDeselect={false}
          onChange={(value) => setPrior(PRIOR_OPTIONS.find((one) => one === value) ?? 'any')}
        />
        <Group grow align="flex-end">
          <NumberInput
            label={t('ui.viewer.layouts.fields.least')}
            min={0}
            max={999}
            value={least}
            onChange={setLeast}
          />
          <NumberInput
            label={t('ui.viewer.layouts.fields.most')}
            min={0}
            max={999}
            value={most}
            error={isOrdered ? undefined : t('ui.viewer.layouts.notOrdered')}
            onChange={setMost}
          />
        </Group>
        {error && <ErrorNotice error={error} />}
        <Group justify="flex-end">
          <Button size="compact-md" variant="default" onClick={onCancel}>
            {t('ui.viewer.layouts.cancel')}
          </Button>
          <Button size="compact-md" type="submit" loading={isBusy}>
            {t('ui.viewer.layouts.keep')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
