import { Button, Group } from '@mantine/core'
import type { ProblemError } from '../api/client.ts'
import css from './form-end.module.css'
import { ErrorNotice } from './page.tsx'

/**
 * The end of a form in a drawer: a refusal that no field can tell, and the two ways out. It stays
 * in sight while the form is scrolled.
 */
export function FormEnd(props: {
  error: ProblemError | null
  cancel: string
  submit: string
  isBusy: boolean
  onCancel: () => void
}) {
  const { error, cancel, submit, isBusy, onCancel } = props
  return (
    <div className={css.end}>
      {error && error.errors.length === 0 && <ErrorNotice error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {cancel}
        </Button>
        <Button type="submit" loading={isBusy}>
          {submit}
        </Button>
      </Group>
    </div>
  )
}
