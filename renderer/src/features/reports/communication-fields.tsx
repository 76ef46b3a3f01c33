import { Checkbox, Select, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { CRITICAL_METHODS } from '#shared/contract/reports.ts'
import { t } from '../../i18n/t.ts'
import { DayInput } from '../../ui/day-input.tsx'
import type { CommunicationValues } from './communication.ts'

/** Who was told of a critical result, how, when, and whether they repeated it. */
export function CommunicationFields({ form }: { form: UseFormReturnType<CommunicationValues> }) {
  return (
    <>
      <TextInput
        label={t('ui.reports.communication.to')}
        placeholder={t('ui.reports.communication.toExample')}
        required
        maxLength={200}
        {...form.getInputProps('communicatedTo')}
      />
      <Select
        label={t('ui.reports.communication.method')}
        allowDeselect={false}
        data={CRITICAL_METHODS.map((value) => ({
          value,
          label: t(`ui.reports.communication.methods.${value}`),
        }))}
        {...form.getInputProps('method')}
      />
      <DayInput
        type="datetime-local"
        label={t('ui.reports.communication.at')}
        description={t('ui.reports.communication.atAbout')}
        required
        {...form.getInputProps('at')}
      />
      <Checkbox
        label={t('ui.reports.communication.readBack')}
        description={t('ui.reports.communication.readBackAbout')}
        {...form.getInputProps('isReadBack', { type: 'checkbox' })}
      />
      <Textarea
        label={t('ui.reports.communication.note')}
        autosize
        minRows={1}
        maxRows={5}
        maxLength={1000}
        {...form.getInputProps('note')}
      />
    </>
  )
}
