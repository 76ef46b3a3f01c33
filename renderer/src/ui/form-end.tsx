import { Button, Group } from '@mantine/core'
import type { ProblemError } from '../api/client.ts'
import { Failed } from './page.tsx'

/** The end of a form: a refusal that no field can tell, and the two ways out. */
export function FormEnd(props: {
  error: ProblemError | null
  cancel: string
  submit: string
  isBusy: boolean
  onCancel: () => void
  /** Above the buttons, where no stack makes room. */
  mt?: 'md'
}) {
  const { error, cancel, submit, isBusy, onCancel, mt } = props
  return (
    <>
      {error && error.errors.length === 0 && <Failed error={error} />}
      <Group justify="flex-end" {...(mt && { mt })}>
        <Button variant="default" onClick={onCancel}>
          {cancel}
        </Button>
        <Button type="submit" loading={isBusy}>
          {submit}
        </Button>
      </Group>
    </>
  )
}
