import { t } from '../../i18n/t.ts'
import { OneTimeValueDialog } from '../../ui/shown-once.tsx'

/** A signing secret that was made here, shown once. */
export function NewSecret({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  return (
    <OneTimeValueDialog
      value={secret}
      title={t('ui.partner.shown.title')}
      about={t('ui.partner.shown.about')}
      what={t('ui.partner.shown.what')}
      done={t('ui.partner.shown.copied')}
      onClose={onClose}
    />
  )
}
