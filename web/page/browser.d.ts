// What TypeScript's libraries lack: of workers, in a project for pages and workers, and of some browsers.

declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

interface FileSystemSyncAccessHandle {
  write(bytes: BufferSource): number;
  flush(): void;
  close(): void;
}

interface FileSystemFileHandle {
  createSyncAccessHandle(): Promise<FileSystemSyncAccessHandle>;
  remove?(): Promise<void>;
}

interface Navigator {
  deviceMemory?: number;
}

interface Window {
  showSaveFilePicker(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
  showDirectoryPicker(options: { mode: 'readwrite' }): Promise<FileSystemDirectoryHandle>;
}

// What build.sh writes before service.js.
declare const VERSION: string;
declare const FILES: string[];
