import type { Sentence } from '../catalogue.ts'

export const VIEWING: readonly Sentence[] = [
  ['Gave {}.', 'Entregó {0}.'],
  [
    'The annotations have {} characters: take some away.',
    'Las anotaciones tienen {0} caracteres: quite algunas.',
  ],
  [
    'Another window has saved annotations of this study since: revision {} is kept, and these go on from {}.',
    'Otra ventana ha guardado anotaciones de este estudio entretanto: se conserva la revisión {0}, y estas parten de la {1}.',
  ],
  ['There is no such view.', 'No existe esa vista.'],
  [
    'Only whoever made a shared view, an owner or an admin may change it: save one of your own.',
    'Solo quien creó una vista compartida, un propietario o un administrador puede cambiarla: guarde una propia.',
  ],
  ['The study was cancelled.', 'El estudio se canceló.'],
  ['Your account has no access any more.', 'Su cuenta ya no tiene acceso.'],
  ['Your account does not see this study any more.', 'Su cuenta ya no ve este estudio.'],
  ['There is no study to keep it with.', 'No hay ningún estudio con el que guardarlo.'],
  [
    'Your account may look at images only: an owner or an admin can allow more.',
    'Su cuenta solo puede ver imágenes: un propietario o administrador puede permitir más.',
  ],
  [
    'The window is locked: unlock it to go on with its images.',
    'La ventana está bloqueada: desbloquéela para seguir con sus imágenes.',
  ],
  [
    'This link is not known here: it is incomplete or too old. Ask for a new one.',
    'Este enlace no se conoce aquí: está incompleto o es demasiado antiguo. Pida otro.',
  ],
  [
    'This link has been used: each opens once. Ask for a new one.',
    'Este enlace ya se usó: cada uno se abre una sola vez. Pida otro.',
  ],
  ['This link has expired. Ask for a new one.', 'Este enlace ha caducado. Pida otro.'],
  [
    'This link was withdrawn: whoever gave it, or whom it is for, has no access any more.',
    'Este enlace se retiró: quien lo dio, o la persona a la que va dirigido, ya no tiene acceso.',
  ],
  ['Too many studies are being opened.', 'Se están abriendo demasiados estudios.'],
  ['Its file names no transfer syntax.', 'Su archivo no indica una sintaxis de transferencia.'],
  [
    'This view has ended. Open the study again where you came from.',
    'Esta vista ha terminado. Vuelva a abrir el estudio donde lo encontró.',
  ],
  [
    'It was set aside or replaced in the archive meanwhile: reload the page.',
    'Entretanto se apartó o se sustituyó en el archivo: vuelva a cargar la página.',
  ],
  ['It ends before its image begins.', 'Termina antes de que empiece su imagen.'],
  [
    'Its file is not in the image folder any more.',
    'Su archivo ya no está en la carpeta de imágenes.',
  ],
  ['Its file cannot be read.', 'Su archivo no se puede leer.'],
  [
    'The partner named no place for it: it is in the archive of this gateway alone.',
    'El socio no indicó un lugar para ella: solo está en el archivo de esta pasarela.',
  ],
  [
    'No endpoint is asked where captures go: it is in the archive of this gateway alone.',
    'A ningún punto de conexión se le pregunta adónde van las capturas: solo está en el archivo de esta pasarela.',
  ],
  [
    'The partner does not take it; its answer is among the events.',
    'El socio no la acepta; su respuesta está en los eventos.',
  ],
  ['It is in the archive no more.', 'Ya no está en el archivo.'],
  [
    'The gateway had an internal error, and tries again.',
    'La pasarela tuvo un error interno y lo intenta de nuevo.',
  ],
  ['The partner gave no place for it: {}.', 'El socio no dio un lugar para ella: {0}.'],
  [
    'The partner named no place that can be used for it: its answer is among the events.',
    'El socio no indicó ningún lugar que se pueda usar para ella: su respuesta está en los eventos.',
  ],
  ['It named no place to upload to.', 'No indicó ningún lugar al que subirla.'],
  ['Uploaded to {}.', 'Subida a {0}.'],
  ['Uploaded to {} of {}.', 'Subida a {0} de {1}.'],
  [
    'The study is of no partner: it is in the archive of this gateway alone.',
    'El estudio no es de ningún socio: solo está en el archivo de esta pasarela.',
  ],
  [
    'The disk of the gateway is nearly full: no captures are kept until there is room.',
    'El disco de la pasarela está casi lleno: no se guardan capturas hasta que haya espacio.',
  ],
  ['Too many captures are being made.', 'Se están haciendo demasiadas capturas.'],
  [
    'This view has no such image, or it has not been read yet.',
    'Esta vista no tiene esa imagen, o aún no se ha leído.',
  ],
  [
    'The study has {} captures already: no more can be made of it.',
    'El estudio ya tiene {0} capturas: no se pueden hacer más de él.',
  ],
  [
    'The disk of the gateway did not take the capture.',
    'El disco de la pasarela no aceptó la captura.',
  ],
  ['There is no such capture.', 'No existe esa captura.'],
  ['It was uploaded already.', 'Ya se había subido.'],
  [
    'The file ended before the bytes that it had.',
    'El archivo terminó antes de los bytes que tenía.',
  ],
  ['The partner refused: {}.', 'El socio lo rechazó: {0}.'],
  [
    'The partner gave no answer that can be used: {}.',
    'El socio no dio una respuesta utilizable: {0}.',
  ],
  [
    "The partner's link to image {} has ended, and it gave no new one.",
    'El enlace del socio a la imagen {0} ha caducado y no dio otro.',
  ],
  [
    "The partner's link to image {} has ended, and so has the new one.",
    'El enlace del socio a la imagen {0} ha caducado, y el nuevo también.',
  ],
  [
    'It could not be kept on the disk of the gateway.',
    'No se pudo guardar en el disco de la pasarela.',
  ],
  ['The image has {} {}.', 'La imagen tiene {0} {1}.'],
  ['The file has no such frame.', 'El archivo no tiene ese fotograma.'],
  ['There is no such file in this view.', 'No existe ese archivo en esta vista.'],
  ['The partner gave no new link to it.', 'El socio no dio un nuevo enlace a él.'],
  ['The file holds no document.', 'El archivo no contiene ningún documento.'],
  [
    'It named {} files: the first {} are loaded, the others are left out.',
    'Indicó {0} archivos: se cargan los primeros {1}, los demás se omiten.',
  ],
  ['{} of its {} images did not come.', '{0} de sus {1} imágenes no llegaron.'],
  [
    'It is of another study than the one that was asked for, and is not shown.',
    'Es de otro estudio que el que se pidió y no se muestra.',
  ],
  ['It is another image than it was before.', 'Es otra imagen distinta de la que era antes.'],
  [
    'Another image has the same UID and differs from it: it is not shown.',
    'Otra imagen tiene el mismo UID y es diferente: no se muestra.',
  ],
  ['It is in the archive by now: try again.', 'Ya está en el archivo: inténtelo de nuevo.'],
  [
    'The images may be of another patient than the study: the {} in them is another one.',
    'Las imágenes pueden ser de otro paciente que el estudio: en ellas no coincide: {0}.',
  ],
  ['The identity check', 'La comprobación de identidad'],
  ['The report', 'El informe'],
  [
    'Images were corrected, added or removed after the report was signed. It needs an addendum.',
    'Después de firmarse el informe se corrigieron, añadieron o retiraron imágenes. Requiere una adenda.',
  ],
  [
    'Images of more than one patient are in this study.',
    'En este estudio hay imágenes de más de un paciente.',
  ],
  [
    'It may be of another patient than another study beside it: the {} differ.',
    'Puede ser de otro paciente que otro estudio puesto al lado; no coincide: {0}.',
  ],
  [
    'An image of another study in this view has the same UID as one of this study, which is not shown.',
    'Una imagen de otro estudio de esta vista tiene el mismo UID que una de este estudio, que no se muestra.',
  ],
  [
    'Images of this study are still coming in: reload the page to see those that came later.',
    'Siguen llegando imágenes de este estudio: vuelva a cargar la página para ver las que llegaron después.',
  ],
  [
    '{}, and it is no study that a partner could be asked for.',
    '{0}, y no es un estudio que se pueda pedir a un socio.',
  ],
  [
    'It answered that there are no images of this study.',
    'Respondió que no hay imágenes de este estudio.',
  ],
  ['{} of the announced images have not come.', '{0} de las imágenes anunciadas no han llegado.'],
  ['They cannot be asked for, since {}.', 'No se pueden pedir, porque {0}.'],
  ['{}, and {}.', '{0}, y {1}.'],
  [
    'They could not be listed: reload the page, and see the log of the gateway if that does not help.',
    'No se pudieron enumerar: vuelva a cargar la página y, si no sirve, consulte el registro de la pasarela.',
  ],
  [
    'It is larger than the disk space for images of partners: raise viewer.cacheGigabytes.',
    'Es mayor que el espacio en disco para imágenes de socios: aumente viewer.cacheGigabytes.',
  ],
  [
    'The disk of the gateway is nearly full: no images of partners are fetched until there is room.',
    'El disco de la pasarela está casi lleno: no se obtienen imágenes de socios hasta que haya espacio.',
  ],
  [
    'This is no earlier study of the patient that can be put beside.',
    'Este no es un estudio anterior del paciente que se pueda poner al lado.',
  ],
  [
    'No more than {} studies can be open in a view: open the earlier study by itself.',
    'En una vista no pueden abrirse más de {0} estudios: abra el estudio anterior por separado.',
  ],
  [
    'It would make more than {} frames in one view, and is left out.',
    'Serían más de {0} fotogramas en una vista, y se omite.',
  ],
  ['There is no such image in this view.', 'No existe esa imagen en esta vista.'],
  ['This view asks for too many images at once.', 'Esta vista pide demasiadas imágenes a la vez.'],
  ['This view has ended.', 'Esta vista ha terminado.'],
  [
    'The image has not come within a minute: try again.',
    'La imagen no ha llegado en un minuto: inténtelo de nuevo.',
  ],
  ['The view has ended.', 'La vista ha terminado.'],
  ['This view does not show such a study.', 'Esta vista no muestra ese estudio.'],
  [
    'The images of this view are not listed yet: look at another image, or reload the page.',
    'Las imágenes de esta vista aún no están enumeradas: mire otra imagen, o vuelva a cargar la página.',
  ],
  ['a manifest', 'un manifiesto'],
  ['at most {} characters as JSON', '{0} caracteres como máximo en JSON'],
  ['must have {}, not {}', 'debe tener {0}, no {1}'],
  [
    'must be {}, not {}: read what is kept, then save again',
    'debe ser {0}, no {1}: lea lo que está guardado y guarde de nuevo',
  ],
  ['must not be that of another view of the list', 'no debe ser el de otra vista de la lista'],
  [
    'cannot be kept: there are {} views. Remove one first',
    'no se puede guardar: hay {0} vistas. Elimine una primero',
  ],
  ['is of a link that is {}', 'es de un enlace que está {0}'],
  ['Image {} of the archive', 'Imagen {0} del archivo'],
  ['It was not uploaded', 'No se subió'],
  ['{} of {} did not take it', '{0} de {1} no la aceptaron'],
  ['A secondary capture was not uploaded. {}', 'Una captura secundaria no se subió. {0}'],
  [
    'A secondary capture was not uploaded and is tried again. {}',
    'Una captura secundaria no se subió y se intenta de nuevo. {0}',
  ],
  ['must be one of its {} frames', 'debe ser uno de sus {0} fotogramas'],
  ['must be {} bytes, and is longer', 'debe tener {0} bytes, y es más largo'],
  ['must be compressed with zlib', 'debe estar comprimido con zlib'],
  [
    'must be {} bytes (rows × columns × 3), and is {}',
    'debe tener {0} bytes (filas × columnas × 3), y tiene {1}',
  ],
  ['It has no frames to show. {}', 'No tiene fotogramas que mostrar. {0}'],
  ['File {}', 'Archivo {0}'],
  ['The partner', 'El socio'],
  ['Series {} of the manifest', 'Serie {0} del manifiesto'],
  ['The manifest', 'El manifiesto'],
  ['Image {} of {}', 'Imagen {0} de {1}'],
  ['patient ID', 'el identificador del paciente'],
  ['date of birth', 'la fecha de nacimiento'],
  ['The patient', 'El paciente'],
  [
    'no endpoint takes {}: an administrator sets one up under Partner',
    'ningún punto de conexión recibe {0}: un administrador configura uno en Socio',
  ],
  [
    'There are no images of this study in the archive',
    'No hay imágenes de este estudio en el archivo',
  ],
  ['The archive', 'El archivo'],
  ['The images', 'Las imágenes'],
  ['An image of many frames', 'Una imagen de muchos fotogramas'],
  ['1 other file', '1 archivo más'],
  ['{#} other files', '{0} archivos más'],
  ['{#} more image', '{0} imagen más'],
  ['{#} more images', '{0} imágenes más'],
  ['{} and {}', '{0} y {1}'],
]
