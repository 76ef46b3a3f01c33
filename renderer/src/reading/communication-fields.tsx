import { Checkbox, Select, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { CRITICAL_METHODS } from '#shared/contract/reports.ts'
import type { CommunicationValues } from './communication.ts'
import { words } from './words.ts'

const { communication: texts } = words

/** Who was told of a critical result, how, when, and whether they repeated it. */
export function CommunicationFields({ form }: { form: UseFormReturnType<CommunicationValues> }) {
  return (
    <>
      <TextInput
        label={texts.to}
        placeholder={texts.toExample}
        required
        maxLength={200}
        {...form.getInputProps('communicatedTo')}
      />
      <Select
        label={texts.method}
        allowDeselect={false}
        data={CRITICAL_METHODS.map((value) => ({ value, label: texts.methods[value] }))}
        {...form.getInputProps('method')}
      />
      <TextInput
        type="datetime-local"
        label={texts.at}
        description={texts.atAbout}
        required
        {...form.getInputProps('at')}
      />
      <Checkbox
        label={texts.readBack}
        description={texts.readBackAbout}
        {...form.getInputProps('isReadBack', { type: 'checkbox' })}
      />
      <Textarea
        label={texts.note}
        autosize
        minRows={1}
        maxRows={5}
        maxLength={1000}
        {...form.getInputProps('note')}
      />
    </>
  )
}
