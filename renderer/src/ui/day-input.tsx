import { TextInput, type TextInputProps } from '@mantine/core'
import { dayText } from '../format/dates.ts'

interface DayInputProps extends TextInputProps {
  /** A day, or a day and a time. */
  readonly type?: 'date' | 'datetime-local'
}

/**
 * A field for a day. Browsers show a day in the order of their own language, where 05/03 may be
 * read as 5 March or as 3 May; so the chosen day is repeated below the field, with the month as a
 * word.
 */
export function DayInput({ type = 'date', description, ...props }: DayInputProps) {
  const [day = '', time = ''] = String(props.value ?? '').split('T')
  const words = `${dayText(day)} ${time}`.trim()
  return (
    <TextInput
      type={type}
      // Below the input, so that the inputs of a row are level.
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      {...props}
      description={
        (words || description) && (
          <>
            {words}
            {words && description && <br />}
            {description}
          </>
        )
      }
    />
  )
}
