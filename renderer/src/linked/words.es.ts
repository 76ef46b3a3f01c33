import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Informe',
  brand: 'Isthmus',
  close: 'Cerrar el estudio',
  closing: 'Se guarda lo escrito y luego se cierra el estudio.',
  closed: 'El estudio está cerrado',
  closedText:
    'Lo que escribió se conserva como borrador hasta que se firme. Para abrir el estudio otra vez, siga un enlace nuevo desde el lugar del que vino.',
  ended: 'Este estudio ya no está abierto',
  endedUnsaved: 'Lo que no se guardó sigue abajo. Cópielo antes de salir de esta página.',
  opening: 'Abriendo el estudio',
  notClosed: 'El estudio sigue abierto: una parte del informe no está guardada.',
}
