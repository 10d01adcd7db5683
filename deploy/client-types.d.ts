// Everything outside of the language that campanile.js may use: browsers, workers and Node.js all have it. deploy/test-web checks
// Sources/WebApp/client with these declarations alone, without those of a document or of a browser.

declare function setTimeout(run: () => void, milliseconds?: number): number;
declare function clearTimeout(timer: number): void;
declare function queueMicrotask(run: () => void): void;
declare function structuredClone<T>(value: T): T;

declare const performance: { now(): number };
declare const crypto: { randomUUID?(): string; getRandomValues<T>(array: T): T };

declare class TextDecoder {
    constructor(encoding: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
    decode(bytes: Uint8Array): string;
}

declare var WebSocket: { new (url: string, subprotocol: string): any };

declare class AbortSignal extends EventTarget {
    readonly aborted: boolean;
}

declare class AbortController {
    readonly signal: AbortSignal;
    abort(): void;
}

declare class Event {
    constructor(type: string);
    readonly type: string;
}

declare class CustomEvent<T = any> extends Event {
    constructor(type: string, options: { detail: T });
    readonly detail: T;
}

declare class EventTarget {
    addEventListener(type: string, listener: (event: any) => void, options?: { signal?: AbortSignal; once?: boolean }): void;
    removeEventListener(type: string, listener: (event: any) => void): void;
    dispatchEvent(event: Event): boolean;
}

interface String {
    toWellFormed?(): string;
}
