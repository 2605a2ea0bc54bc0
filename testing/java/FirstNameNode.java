package ydl.testing;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.tools.DFSHAAdmin;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.util.ToolRunner;

/**
 * A NameNode that brings itself up on empty folders: one of two formats for both, and becomes the active one.
 *
 * <p>Formatting, copying and activating in JVMs of their own would more than double the time of a start.
 */
public final class FirstNameNode {
    private FirstNameNode() {}

    public static void main(String[] args) throws Exception {
        Configuration conf = new HdfsConfiguration();
        Path folder = Paths.get(conf.get("dfs.namenode.name.dir"));
        String standby = conf.get("ydl.testing.standby.dir");
        boolean isStandby = folder.toString().equals(standby);
        boolean isNew = !Files.exists(folder.resolve("current/VERSION"));
        if (isNew && isStandby) {
            waitFor(folder.resolve("current"));
        } else if (isNew) {
            DefaultMetricsSystem.setMiniClusterMode(true); // two NameNodes, one after the other, in one JVM
            NameNode.format(conf);
            if (standby != null) {
                copy(folder, Paths.get(standby));
            }
        }
        NameNode namenode = NameNode.createNameNode(args, conf);
        if (isNew && standby != null && !isStandby) {
            activate();
        }
        namenode.join();
    }

    private static void activate() throws Exception {
        DFSHAAdmin admin = new DFSHAAdmin();
        String id = new HdfsConfiguration().get("dfs.ha.namenode.id");
        String service = new HdfsConfiguration().get("dfs.nameservices");
        // --forceactive: it would wait for the other one, which is only starting.
        int status = ToolRunner.run(new HdfsConfiguration(), admin, new String[] {"-ns", service, "-transitionToActive", "--forceactive", id});
        if (status != 0) {
            throw new IOException(id + " did not become active");
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Path partial = to.resolve("copying");
        Files.createDirectories(partial);
        for (File file : from.resolve("current").toFile().listFiles()) {
            Files.copy(file.toPath(), partial.resolve(file.getName()));
        }
        Files.move(partial, to.resolve("current"), StandardCopyOption.ATOMIC_MOVE);
    }

    private static void waitFor(Path path) throws InterruptedException {
        while (!Files.exists(path)) {
            Thread.sleep(50);
        }
    }
}
