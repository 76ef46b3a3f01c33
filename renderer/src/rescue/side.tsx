import { IconClockPause, IconDeviceDesktop, IconShieldCheck } from '@tabler/icons-react'
import { t } from '../i18n/t.ts'
import { Mark } from '../ui/brand.tsx'
import { LanguageChoice } from '../ui/language-choice.tsx'
import css from './rescue.module.css'

const REASSURANCES = [
  { Icon: IconShieldCheck, text: t('ui.rescue.calm.unchanged') },
  { Icon: IconClockPause, text: t('ui.rescue.calm.devices') },
  { Icon: IconDeviceDesktop, text: t('ui.rescue.calm.here') },
] as const

/** What holds whatever is wrong: the first thing that somebody wants to know. */
export function RescueSidebar({ version }: { version: string }) {
  return (
    <aside className={css.side}>
      <div className={css.name}>
        <Mark size={30} />
        Isthmus
      </div>
      <ul className={css.calm}>
        {REASSURANCES.map(({ Icon, text }) => (
          <li key={text}>
            <Icon size={20} stroke={1.7} aria-hidden />
            <span>{text}</span>
          </li>
        ))}
      </ul>
      <div className={css.sideFoot}>
        <LanguageChoice />
        {version && <span>{t('ui.rescue.version', { version })}</span>}
      </div>
    </aside>
  )
}
