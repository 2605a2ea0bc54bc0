package ydl.testing;

import java.util.Arrays;

/**
 * Runs the main class of one of Hadoop's daemons: {@code Daemon CLASS ARGUMENT...}.
 *
 * <p>With -Dydl.leash=PID the daemon ends as soon as that process is gone, however it went: a test that is killed leaves nothing behind.
 */
public final class Daemon {
    private Daemon() {}

    public static void main(String[] args) throws Exception {
        endWith(System.getProperty("ydl.leash"));
        Class.forName(args[0]).getMethod("main", String[].class).invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
    }

    static void endWith(String leash) {
        if (leash == null) {
            return;
        }
        ProcessHandle holder = ProcessHandle.of(Long.parseLong(leash)).orElse(null);
        if (holder == null) {
            Runtime.getRuntime().halt(1);
        }
        holder.onExit().thenRun(() -> Runtime.getRuntime().halt(1));
    }
}
