import { Checkbox, Select, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { CRITICAL_METHODS } from '#shared/contract/reports.ts'
import { t } from '../i18n/t.ts'
import type { CommunicationValues } from './communication.ts'

/** Who was told of a critical result, how, when, and whether they repeated it. */
export function CommunicationFields({ form }: { form: UseFormReturnType<CommunicationValues> }) {
  return (
    <>
      <TextInput
        label={t('ui.reading.communication.to')}
        placeholder={t('ui.reading.communication.toExample')}
        required
        maxLength={200}
        {...form.getInputProps('communicatedTo')}
      />
      <Select
        label={t('ui.reading.communication.method')}
        allowDeselect={false}
        data={CRITICAL_METHODS.map((value) => ({
          value,
          label: t(`ui.reading.communication.methods.${value}`),
        }))}
        {...form.getInputProps('method')}
      />
      <TextInput
        type="datetime-local"
        label={t('ui.reading.communication.at')}
        description={t('ui.reading.communication.atAbout')}
        required
        {...form.getInputProps('at')}
      />
      <Checkbox
        label={t('ui.reading.communication.readBack')}
        description={t('ui.reading.communication.readBackAbout')}
        {...form.getInputProps('isReadBack', { type: 'checkbox' })}
      />
      <Textarea
        label={t('ui.reading.communication.note')}
        autosize
        minRows={1}
        maxRows={5}
        maxLength={1000}
        {...form.getInputProps('note')}
      />
    </>
  )
}
