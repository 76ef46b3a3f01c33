import type { Sentence } from '../catalogue.ts'

export const UPDATES: readonly Sentence[] = [
  [
    'Windows asks for an administrator’s consent to install it, so it waits for a person.',
    'Windows pide el consentimiento de un administrador para instalarla, así que espera a una persona.',
  ],
  [
    'An AppImage is not signed, so it waits for a person who knows where it comes from.',
    'Una AppImage no está firmada, así que espera a una persona que sepa de dónde viene.',
  ],
  [
    'ISTHMUS_UPDATE_URL counts only where update-policy.json beside the program allows it, so no update is taken.',
    'ISTHMUS_UPDATE_URL solo vale donde lo permite update-policy.json junto al programa, así que no se toma ninguna actualización.',
  ],
  [
    'This program was not installed, so it is not updated by itself.',
    'Este programa no se instaló, así que no se actualiza por sí mismo.',
  ],
  [
    'This program is updated with the packages of the system.',
    'Este programa se actualiza con los paquetes del sistema.',
  ],
  [
    'This program was installed by an MSI package, and the next package updates it.',
    'Este programa se instaló con un paquete MSI, y el siguiente paquete lo actualiza.',
  ],
  [
    'ISTHMUS_UPDATE_URL does not begin with https://, so no update is taken from there.',
    'ISTHMUS_UPDATE_URL no empieza por https://, así que no se toma ninguna actualización de allí.',
  ],
  [
    'No place for updates is set: the program stays as it is until another version is installed over it.',
    'No hay ningún lugar de actualizaciones configurado: el programa sigue como está hasta que se instale otra versión encima.',
  ],
  [
    'The update is not signed by the maker of this program, so it was not taken. Tell the vendor.',
    'La actualización no está firmada por el fabricante de este programa, así que no se tomó. Avise al proveedor.',
  ],
  [
    'The update came damaged. It is fetched again later.',
    'La actualización llegó dañada. Se descargará de nuevo más tarde.',
  ],
  [
    'The disk is full, so the update could not be fetched.',
    'El disco está lleno, así que no se pudo descargar la actualización.',
  ],
  [
    'The place for updates shows a certificate that is not trusted.',
    'El lugar de actualizaciones presenta un certificado que no es de confianza.',
  ],
  [
    'The place for updates has none for this system.',
    'El lugar de actualizaciones no tiene ninguna para este sistema.',
  ],
  [
    'The place for updates could not be reached. It is asked again later.',
    'No se pudo alcanzar el lugar de actualizaciones. Se le preguntará de nuevo más tarde.',
  ],
  ['The update could not be fetched.', 'No se pudo descargar la actualización.'],
]
