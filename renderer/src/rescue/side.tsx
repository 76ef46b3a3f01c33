import { IconClockPause, IconDeviceDesktop, IconShieldCheck } from '@tabler/icons-react'
import { Mark } from '../shell/brand.tsx'
import { LanguageChoice } from '../sign-in/language-choice.tsx'
import css from './rescue.module.css'
import { words } from './words.ts'

const CALM = [
  { Icon: IconShieldCheck, text: words.calm.unchanged },
  { Icon: IconClockPause, text: words.calm.devices },
  { Icon: IconDeviceDesktop, text: words.calm.here },
] as const

/** What holds whatever is wrong: the first thing that somebody wants to know. */
export function Side({ version }: { version: string }) {
  return (
    <aside className={css.side}>
      <div className={css.name}>
        <Mark size={30} />
        Isthmus
      </div>
      <ul className={css.calm}>
        {CALM.map(({ Icon, text }) => (
          <li key={text}>
            <Icon size={20} stroke={1.7} aria-hidden />
            <span>{text}</span>
          </li>
        ))}
      </ul>
      <div className={css.sideFoot}>
        <LanguageChoice />
        {version && <span>{words.version(version)}</span>}
      </div>
    </aside>
  )
}
