import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { faultsByField, type ProblemError } from '../api/client.ts'
import { useCutOffSince } from '../api/status.ts'
import { t } from '../i18n/t.ts'
import { ErrorNotice } from './page.tsx'
import { Notice } from './tone.tsx'

/**
 * What the dialog says; `label` and `example` are those of the field, `missing` its error where it
 * is empty and asks for something else than a reason.
 */
interface ReasonTexts {
  readonly title: string
  readonly action: string
  readonly label: string
  readonly about: string
  readonly example: string
  readonly missing?: string
}

interface ReasonDialogProps {
  readonly words: ReasonTexts
  /** Name of the field in the body of the call. */
  readonly field: 'reason' | 'note'
  readonly isDanger?: boolean
  readonly isBusy: boolean
  readonly onSend: (reason: string, onError: (error: ProblemError) => void) => void
  readonly onClose: () => void
  readonly error: ProblemError | null
  readonly children: ReactNode
}

/** Asks for a reason, which the audit trail keeps, before something is decided about images. */
export function ReasonDialog(props: ReasonDialogProps) {
  return (
    <Modal opened onClose={props.onClose} title={props.words.title}>
      <ReasonForm {...props} />
    </Modal>
  )
}

function ReasonForm({
  words,
  field,
  isDanger,
  isBusy,
  onSend,
  onClose,
  error,
  children,
}: ReasonDialogProps) {
  const isCutOff = useCutOffSince() !== null
  const form = useForm({
    initialValues: { reason: '' },
    validate: {
      reason: (reason) =>
        reason.trim().length < 3 ? (words.missing ?? t('ui.common.reasonNeeded')) : null,
    },
  })
  const submit = form.onSubmit(({ reason }) =>
    onSend(reason.trim(), (refusal) => {
      const fault = faultsByField(refusal)[field]
      if (fault) form.setErrors({ reason: fault })
    }),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <div>{children}</div>
        <TextInput
          label={words.label}
          description={words.about}
          placeholder={words.example}
          required
          maxLength={200}
          data-autofocus
          {...form.getInputProps('reason')}
        />
        {error && error.errors.length === 0 && <ErrorNotice error={error} />}
        {isCutOff && <Notice tone="warning">{t('ui.common.cutOff')}</Notice>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('ui.common.cancel')}
          </Button>
          <Button
            type="submit"
            loading={isBusy}
            disabled={isCutOff}
            {...(isDanger && { color: 'red' })}
          >
            {words.action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
