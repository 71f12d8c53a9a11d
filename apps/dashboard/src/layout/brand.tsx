/** The name of the gateway with its sign. */
export function Brand() {
  return (
    <span className="flex items-center gap-2.5 font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" className="size-7" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="#1b1a17" className="dark:stroke-line" />
        <path
          d="M7 21.5 12.6 14l4 5 2.6-3.2L25 21.5"
          fill="none"
          stroke="#f4b940"
          strokeWidth="2.6"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
        <circle cx="21.5" cy="10.5" r="2.6" fill="#f4b940" />
      </svg>
      image-gateway
    </span>
  );
}
