import type { Match } from '#shared/contract/reconciliation.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { ReasonDialog } from '../../ui/ask-reason.tsx'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { MatchTable } from './matches.tsx'
import css from './reconcile.module.css'
import type { ReconciliationActions } from './use-reconciliation.ts'

/** A decision that asks for a reason, or for a second look, before it is made. */
export type PendingDecision =
  | {
      readonly kind: 'link'
      readonly studyInstanceUid: string
      readonly orderId: string
      readonly differs: readonly Match[]
    }
  | { readonly kind: 'keep'; readonly studyInstanceUid: string }
  | { readonly kind: 'notDone'; readonly orderId: string }

interface DecisionDialogProps {
  readonly question: PendingDecision
  readonly decide: ReconciliationActions
  readonly onClose: () => void
}

/**
 * Belongs to the screen and not to a card: while it is open, the exam may leave its list because
 * another person decides it. The dialog stays, and sending it says who was first.
 */
export function DecisionDialog({ question, decide, onClose }: DecisionDialogProps) {
  if (question.kind === 'link') {
    const { studyInstanceUid, orderId, differs } = question
    return (
      <ConfirmAction
        isOpen
        title={t('ui.reconciliation.confirm.title')}
        action={t('ui.reconciliation.confirm.action')}
        keep={t('ui.reconciliation.confirm.cancel')}
        isBusy={decide.isBusy}
        error={null}
        onConfirm={() => {
          onClose()
          decide.link({ studyInstanceUid, orderId })
        }}
        onClose={onClose}
      >
        <p>{t('ui.reconciliation.confirm.text')}</p>
        <MatchTable matches={differs} />
      </ConfirmAction>
    )
  }
  return (
    <ReasonDialog
      words={textsOf(
        `ui.reconciliation.${question.kind}`,
        'title',
        'action',
        'label',
        'about',
        'example',
      )}
      field="reason"
      isBusy={decide.isBusy}
      error={decide.error}
      onSend={(reason, onError) =>
        question.kind === 'keep'
          ? decide.keep({ studyInstanceUid: question.studyInstanceUid, reason }, onClose, onError)
          : decide.notDone({ orderId: question.orderId, reason }, onClose, onError)
      }
      onClose={onClose}
    >
      <p className={css.dialogText}>{t(`ui.reconciliation.${question.kind}.text`)}</p>
    </ReasonDialog>
  )
}
