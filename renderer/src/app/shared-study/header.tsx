import { Button } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { t } from '../../i18n/t.ts'
import { Mark } from '../../ui/brand.tsx'
import { SchemeSwitch } from '../../ui/scheme-switch.tsx'
import css from './shared-study.module.css'

/** Whose gateway this is, who came by the link, and the way out. */
export function SharedStudyHeader({
  name,
  clinicName,
  onClose,
}: {
  name: string
  clinicName: string
  onClose: () => void
}) {
  return (
    <header className={css.head}>
      <Mark size={24} />
      <span className={css.brand}>{t('ui.shared-study.brand')}</span>
      <span className={css.clinic}>{clinicName}</span>
      <span className={css.person}>{name}</span>
      <SchemeSwitch />
      <Button size="xs" variant="default" leftSection={<IconX size={15} />} onClick={onClose}>
        {t('ui.shared-study.close')}
      </Button>
    </header>
  )
}
