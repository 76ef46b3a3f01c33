import { ShownOnce } from '../components/shown-once.tsx'
import { t } from '../i18n/t.ts'

/** A signing secret that was made here, shown once. */
export function NewSecret({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  return (
    <ShownOnce
      value={secret}
      title={t('ui.partner.shown.title')}
      about={t('ui.partner.shown.about')}
      what={t('ui.partner.shown.what')}
      done={t('ui.partner.shown.copied')}
      onClose={onClose}
    />
  )
}
