import type { Reading } from '#shared/contract/reports.ts'
import type { DraftKeeper, KeptDraft } from '../../api/draft-keeper.ts'
import { ConflictDialog } from './conflict.tsx'
import { Revisions } from './revisions.tsx'
import { SignDialog } from './sign-dialog.tsx'

export type Dialog = 'sign' | 'revisions' | 'conflict' | null

/**
 * What is asked over the report: to sign it, whose text is kept, or which earlier text to bring
 * back.
 */
export function WritingDialog(props: {
  dialog: Dialog
  reading: Reading
  keeper: DraftKeeper
  kept: KeptDraft
  atOpening: Reading['reportMetadata']
  /** Another window writes it. */
  isElsewhere: boolean
  onSigned: () => void
  onClose: () => void
}) {
  const { dialog, reading, keeper, kept, atOpening, isElsewhere, onSigned, onClose } = props
  /** Changes the text, and closes. */
  const closing = (change: () => void) => () => {
    change()
    onClose()
  }
  if (dialog === 'sign') {
    return (
      <SignDialog
        reading={reading}
        keeper={keeper}
        text={kept.text}
        atOpening={atOpening}
        onConflict={(theirs) => keeper.meet(theirs)}
        onSigned={onSigned}
        onClose={onClose}
      />
    )
  }
  if (dialog === 'conflict' && kept.theirs) {
    return (
      <ConflictDialog
        mine={kept.text}
        theirs={kept.theirs}
        onMine={closing(() => void keeper.keepMine())}
        onTheirs={closing(() => keeper.takeTheirs())}
        onClose={onClose}
      />
    )
  }
  if (dialog === 'revisions') {
    return (
      <Revisions
        studyId={reading.studyId}
        onBringBack={isElsewhere ? null : (text) => closing(() => keeper.replace(text))()}
        onClose={onClose}
      />
    )
  }
  return null
}
